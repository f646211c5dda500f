import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatEvent, parseHistory } from '../../src/record/history-log.js';
import {
  grantEvent,
  planGrantEvent,
  planReleaseEvent,
  releaseEvent,
  replayLocks,
  replayPlanGrants,
} from '../../src/record/lock-events.js';
import { shortenReservations } from '../../src/record/shorten-reservations.js';

const AT = '2026-01-02T11:00:00.000Z';

function replay(text: string) {
  const { events } = parseHistory(text);
  return { locks: replayLocks(events), plans: replayPlanGrants(events) };
}

const lock = fc.record({
  id: fc.constantFrom('lock-pat1', 'lock-kim1', 'lock-task1'),
  project: fc.constant('shop'),
  paths: fc.array(fc.constantFrom('src/', 'docs', 'å b'), { maxLength: 2 }),
  taskId: fc.constantFrom(null, 'taskA'),
  name: fc.constantFrom(null, 'Pat'),
  since: fc.constant(AT),
  expiresAt: fc.constantFrom(null, AT),
  ttlMinutes: fc.constantFrom(0, 30),
});
const task = fc.constantFrom('taskA', 'taskB', 'taskC');
const line = fc.oneof(
  lock.map((each) => formatEvent(grantEvent(each), AT)),
  fc
    .tuple(lock, fc.constantFrom('explicit' as const, 'expired' as const, 'terminal' as const))
    .map(([{ id }, reason]) => formatEvent(releaseEvent(id, reason), AT)),
  fc.tuple(task, lock).map(([id, { paths }]) => formatEvent(planGrantEvent(id, 'shop', paths), AT)),
  task.map((id) => formatEvent(planReleaseEvent(id, 'terminal'), AT)),
  fc.constantFrom(
    'no event',
    '',
    '{"type":"reservation.granted","timestamp":"x","id":"lock-pat1"}',
  ),
);

it('a record that was shortened replays to the same, wherever it is cut and whatever is torn', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.nat({ max: 3000 }),
      fc.constantFrom('', '{"type":"reservation.gr'),
      (lines, keep, torn) => {
        const text = lines.map((each) => `${each}\n`).join('') + torn;
        const shortened = shortenReservations(text, keep);
        expect(replay(shortened)).toEqual(replay(text));
        expect(shortenReservations(shortened, keep).length).toBeLessThanOrEqual(shortened.length);
      },
    ),
  );
});

it('what is over goes, what is held stays with its time, and the end stays as it is', () => {
  const held = formatEvent(planGrantEvent('taskA', 'shop', ['src/']), '2026-01-01T00:00:00.000Z');
  const over = [planGrantEvent('taskB', 'shop', ['docs']), planReleaseEvent('taskB', 'terminal')];
  const lines = over.map((event) => formatEvent(event, AT));
  const end = lines.join('\n');
  const text = [...lines, held, ...Array.from({ length: 50 }, () => end), ''].join('\n');
  expect(shortenReservations(text, end.length + 1)).toBe(`${held}\n${end}\n`);
  expect(shortenReservations(text, text.length)).toBe(text);
});
