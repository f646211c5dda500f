import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '../../src/domain/effect.js';
import type { JsonValue } from '../../src/domain/json.js';
import { formatEvent } from '../../src/record/history-log.js';
import type { OutboxEntry } from '../../src/record/outbox.js';
import type { Rig } from './orange-rig.js';

/** Later than anything that happens in a test. */
export const LATER = '2100-01-01T00:00:00.000Z';
/** Of a task that there is none of. */
export const ID = 'aaaaaaaaaaaaaaaaaaaaa';

/** Puts an intent into the outbox as the daemon does before it changes anything. */
export function writeIntent(
  rig: Rig,
  entry: Partial<Omit<OutboxEntry, 'effects'>> & { readonly effects?: readonly Effect[] },
): void {
  const whole = {
    seq: 1,
    taskId: ID,
    commit: null,
    events: [],
    effects: [],
    requestId: null,
    ...entry,
  };
  const name = `${String(whole.seq).padStart(12, '0')}.json`;
  rig.write(join(rig.home, 'run', 'outbox', name), `${JSON.stringify(whole)}\n`);
}

/** The line of history that tells of a move. */
export function moveEvent(from: string, to: string, facts: Record<string, JsonValue> = {}): string {
  return formatEvent({ type: 'status.changed', from, to, by: 'human', ...facts }, LATER);
}

/** Edits TASK.md as the daemon would have, while none runs. */
export function setFields(rig: Rig, id: string, fields: Readonly<Record<string, string>>): void {
  const text = Object.entries(fields).reduce(
    (before, [name, value]) =>
      before.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`),
    rig.read(rig.taskFile(id)),
  );
  writeFileSync(rig.taskFile(id), text);
}
