import { expect, it } from 'vitest';
import { PASSING_REVIEWER } from './agent-prelude.js';
import { createRig, type Event } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const WORKER = `
if ! grep -q '^## Plan' TASK.md; then
  add Plan 'APPROACH: write one file
TOUCHING: done.txt'
fi
await_status working
await_go on
work done
add Handoff 'DONE: done.txt'
idle
`;
/** Fourteen hours ahead, eleven behind, three and a half behind, five and three quarters ahead. */
const [AHEAD, BEHIND, HALF, ODD] = [
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'America/St_Johns',
  'Asia/Kathmandu',
];

it('F10 a task whose daemons and commands are in different time zones has its times in UTC, and its ages right', async () => {
  await using rig = await createRig({
    agents: { plain: { worker: WORKER, reviewer: PASSING_REVIEWER } },
  });
  const beganMs = Date.now();
  const isOfThisTest = (instant: unknown): boolean => {
    const isUtc = typeof instant === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(instant);
    const ms = isUtc ? Date.parse(instant) : Number.NaN;
    return ms >= beganMs && ms <= Date.now();
  };
  const ask = async (TZ: string, ...args: readonly string[]) => {
    const answer = await rig.run(args, { env: { TZ } });
    expect(answer.code, answer.stderr).toBe(0);
    return answer;
  };

  await ask(AHEAD, 'daemon', 'start');
  const made = await ask(HALF, 'task', 'create', '--json', 'abroad', 'Abroad', ...PLAIN);
  const { id } = made.json<{ id: string }>();
  await rig.waitForStatus(id, 'working');
  await ask(BEHIND, 'daemon', 'restart');
  // What the first daemon has recorded is read by the second, whose move it is.
  rig.go('on');
  await rig.waitForStatus(id, 'reviewing');

  const events: readonly Event[] = rig.history(id);
  expect(events.filter(({ timestamp }) => !isOfThisTest(timestamp))).toEqual([]);
  const times = events.map(({ timestamp }) => String(timestamp));
  expect(times).toEqual(times.toSorted());
  for (const name of ['created_at', 'updated_at']) {
    expect(isOfThisTest(rig.field(id, name)), rig.read(rig.taskFile(id))).toBe(true);
  }
  for (const zone of [AHEAD, ODD]) {
    const [waiting] = (await ask(zone, 'inbox', '--json')).json<{ since: string }[]>();
    expect(isOfThisTest(waiting?.since)).toBe(true);
    // Minutes at most, on however busy a machine.
    expect((await ask(zone, 'ls')).stdout).toMatch(/ reviewing +\d+[sm] /);
    expect((await ask(zone, 'inbox')).stdout).toMatch(/ review +\d+[sm]$/m);
    expect((await ask(zone, 'task', 'show', id)).stdout).toMatch(/reviewing \(\d+[sm]\)/);
  }
});
