import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listAgents } from './oracle/check-processes.mjs';
import { readHome } from './oracle/read-home.mjs';
import { glance } from './oracle/state-digest.mjs';
import { pause } from './wait.mjs';

const QUIET_MS = 450;
const LOOK_MS = 30;
const NEEDED = { planning: 'worker', working: 'worker', 'agent-review': 'reviewer' };

/**
 * Waits until a home is at rest: nothing owed, no agent at work, and no change for a while that is
 * longer than settling, sweeping and the back-off. Gives null, or what still went on at the end.
 */
export async function settle(place, { deadlineMs = 90_000, isOver = () => false } = {}) {
  const start = performance.now();
  let last = glance(place);
  let quietSince = performance.now();
  for (;;) {
    await pause(LOOK_MS);
    const now = glance(place);
    if (now.text !== last.text || now.outbox.length > 0) quietSince = performance.now();
    last = now;
    const isQuiet = performance.now() - quietSince >= QUIET_MS;
    const busy = isQuiet ? [...busyAgents(place), ...missingAgents(place)] : [];
    if (isQuiet && busy.length === 0) return null;
    if (isOver() || performance.now() - start > deadlineMs) {
      return `outbox: ${now.outbox.join(' ')}; agents at work: ${busy.join(' ')}\n${now.text}`;
    }
  }
}

/** Agents that are to be started again, when it is their turn. */
function missingAgents({ home }) {
  const living = new Set(listAgents(home).map(({ taskId, role }) => `${taskId} ${role}`));
  return readHome(home)
    .tasks.map(({ id, fields }) => `${id} ${NEEDED[fields.status]}`)
    .filter((needed) => !needed.endsWith('undefined') && !living.has(needed));
}

/** The launches that said they are at work and still live. */
function busyAgents({ home, chaos }) {
  const folder = join(chaos, 'busy');
  const marks = existsSync(folder) ? readdirSync(folder) : [];
  if (marks.length === 0) return [];
  const living = new Set(listAgents(home).map(({ launch }) => launch));
  return marks.filter((launch) => living.has(launch));
}
