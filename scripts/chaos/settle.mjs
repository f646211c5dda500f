import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { listAgents } from './oracle/check-processes.mjs';
import { names, readHome, readText } from './oracle/read-home.mjs';
import { glance } from './oracle/state-digest.mjs';
import { isStill, readStat } from './processes.mjs';
import { pause } from './wait.mjs';

const QUIET_MS = 450;
/** A start that failed is tried again after a second; this is how long nothing must happen then. */
const RETRY_QUIET_MS = 2500;
const LOOK_MS = 30;
const STARTS = ['agent.spawned', 'spawn.failed'];
/** An end that may be the server's is judged after a second, and nothing shows until then. */
const JUDGED_MS = 2000;
const WAITING = new Set(['clarification', 'reviewing', 'stuck']);
const NEEDED = { planning: 'worker', working: 'worker', 'agent-review': 'reviewer' };

/** Waits until a home is at rest; gives null, or what still went on at the end. */
export async function settle(place, how) {
  return (await timeRest(place, how)).unrest;
}

/**
 * Waits until a home is at rest: nothing owed, no agent at work, and no change for a while that is
 * longer than settling, sweeping and the back-off. Gives how long it was until the last sign of
 * unrest, and how much of that was orange's own: the time in which no agent was at work. `unrest` is
 * null, or what still went on at the end.
 */
export async function timeRest(place, { deadlineMs = 90_000, isOver = () => false } = {}) {
  const watch = new RestWatch();
  let last = glance(place);
  let lacking = [];
  for (;;) {
    await pause(LOOK_MS);
    const now = glance(place);
    const atWork = busyAgents(place);
    const isMoving = now.text !== last.text || now.outbox.length > 0;
    watch.look({ isMoving, isAgents: atWork.length > 0 });
    last = now;
    if (watch.quietMs >= QUIET_MS) {
      const { missing, isQuiet } = lookCloser(place, watch);
      if (isQuiet) return { unrest: null, ...watch.times };
      if (missing.length > 0) watch.look({ isMoving: true, isAgents: false });
      lacking = missing;
    }
    if (isOver() || watch.sinceMs > deadlineMs) {
      return { unrest: describe(now, { busy: atWork, lacking }), ...watch.times };
    }
  }
}

function describe({ outbox, text }, { busy, lacking }) {
  const lists = [
    ['outbox', outbox],
    ['agents at work', busy],
    ['still to come', lacking],
  ];
  return `${lists.map(([what, list]) => `${what}: ${list.join(' ')}`).join('; ')}\n${text}`;
}

/** A stopwatch that stands still while agents are at work, and reads as at the last sign of unrest. */
class RestWatch {
  #start = performance.now();
  #lastLook = this.#start;
  #lastMove = this.#start;
  #ownMs = 0;
  #sinceMoveMs = 0;

  look({ isMoving, isAgents }) {
    const now = performance.now();
    if (!isAgents) this.#sinceMoveMs += now - this.#lastLook;
    this.#lastLook = now;
    if (!isMoving && !isAgents) return;
    this.#ownMs += this.#sinceMoveMs;
    this.#sinceMoveMs = 0;
    this.#lastMove = now;
  }

  get quietMs() {
    return this.#lastLook - this.#lastMove;
  }

  get sinceMs() {
    return this.#lastLook - this.#start;
  }

  get times() {
    return { restMs: this.#lastMove - this.#start, ownMs: this.#ownMs };
  }
}

/**
 * Agents that are to be started again, when it is their turn, last lines of histories that a start
 * completes in the background, and checkouts of trials that are to go; and whether all is at rest.
 */
function lookCloser({ home }, { quietMs }) {
  const { tasks } = readHome(home);
  const living = new Set(listAgents(home).map(({ taskId, role }) => `${taskId} ${role}`));
  const agents = tasks
    .map(({ id, fields }) => `${id} ${NEEDED[fields.status]}`)
    .filter((needed) => !needed.endsWith('undefined') && !living.has(needed));
  const ends = tasks.filter((task) => isCutOff(home, task)).map(({ id }) => `${id} end of line`);
  // Of a trial that is over, or was cut off, the checkout goes by itself.
  const trials = names(join(home, 'run', 'trials')).map((id) => `${id} end of its trial`);
  const missing = [...agents, ...ends, ...trials];
  const isToCome = tasks.some((task) => isToBeTriedAgain(task) || isToBeJudged(home, task));
  const neededMs = isToCome ? RETRY_QUIET_MS : QUIET_MS;
  return { missing, isQuiet: missing.length === 0 && quietMs >= neededMs };
}

function isCutOff(home, { id, project }) {
  const text = readText(join(home, 'tasks', project, id, 'history.jsonl')) ?? '';
  return text !== '' && !text.endsWith('\n');
}

function isToBeTriedAgain({ fields, events }) {
  const last = events.findLast(({ type }) => STARTS.includes(type));
  return fields.status === 'pending' && last?.type === 'spawn.failed';
}

/** Whether an agent has just ended of which nothing comes but a line in the history. */
function isToBeJudged(home, { id, fields }) {
  if (!WAITING.has(fields.status)) return false;
  const folder = join(home, 'run', id);
  return names(folder)
    .filter((name) => name.endsWith('.exit'))
    .some((name) => {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stats !== undefined && Date.now() - stats.mtimeMs < JUDGED_MS;
    });
}

/** The launches that said they are at work and still live. */
export function busyAgents({ chaos }) {
  return names(join(chaos, 'busy')).filter((launch) => {
    const agent = readStat(readText(join(chaos, 'lives', launch)) ?? '');
    return agent !== null && isStill(agent);
  });
}
