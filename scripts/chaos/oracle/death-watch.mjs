import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readStat, isStill } from '../processes.mjs';
import { listTasks, names, readText } from './read-home.mjs';
import { violation } from './violation.mjs';

const NO_FILE = { size: 0, mtimeMs: 0 };
const ENDS = ['agent.crashed', 'agent.interrupted'];
// The clock that stamps files, and with it the record of an end, may be a tick behind.
const TICK_MS = 25;

/**
 * I3, false deaths: no history says that an agent ended while it did not. An agent enters its own
 * process in the ledger when it begins; here it is looked at again and again, with its launcher and
 * its terminal server. As long as all of them live, nobody has killed it, nobody has taken its
 * terminal away and it has not ended: a death that is recorded meanwhile is none. What is not seen
 * alive is not judged, so that a late look can miss a false death but never make one up.
 */
export class DeathWatch {
  #home;
  #folder;
  /** It is there once the clock of a daemon of this home was set. */
  #clock;
  #lives = new Map();
  #sizes = new Map();
  #judged = new Set();
  violations = [];

  constructor({ home, chaos }) {
    this.#home = home;
    this.#folder = join(chaos, 'lives');
    this.#clock = join(chaos, 'clock');
  }

  /** How many agents were known while they lived, and how many recorded ends were judged. */
  get counts() {
    return { lives: this.#lives.size, deaths: this.#judged.size };
  }

  look() {
    this.#enterNew();
    for (const life of this.#lives.values()) {
      const now = Date.now();
      if (life.isWhole && isWhole(life)) life.lastWholeMs = now;
      else life.isWhole = false;
    }
    for (const { project, id } of listTasks(this.#home)) this.#readHistory(project, id);
  }

  #enterNew() {
    for (const launch of names(this.#folder).filter((name) => !this.#lives.has(name))) {
      const agent = readStat(readText(join(this.#folder, launch)) ?? '');
      if (agent === null) continue;
      const chain = chainOf(agent);
      this.#lives.set(launch, { chain, isWhole: chain.length > 0, lastWholeMs: 0 });
    }
  }

  #readHistory(project, id) {
    const path = join(this.#home, 'tasks', project, id, 'history.jsonl');
    const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? NO_FILE;
    if (size === this.#sizes.get(path)) return;
    this.#sizes.set(path, size);
    for (const event of endsIn(readText(path) ?? '')) this.#judge(id, event, mtimeMs);
  }

  /**
   * The times of a daemon whose clock was set, and of those after it, only grow, and are those of no
   * other clock: then it counts when the line was written, which is a little later.
   */
  #judge(id, event, writtenMs) {
    const key = `${event.type} ${event.launch} ${event.timestamp}`;
    const life = this.#lives.get(event.launch);
    if (life === undefined || this.#judged.has(key)) return;
    this.#judged.add(key);
    const diedMs = existsSync(this.#clock) ? writtenMs : Date.parse(event.timestamp);
    const later = whenSeenLater(life, diedMs);
    if (later === null) return;
    const { pid, start } = life.chain[0];
    const what = `${JSON.stringify(event)}, but pid ${pid} (begun at ${start}) lived ${later}`;
    this.violations.push(violation('I3', `false death of ${id} ${event.launch}`, what));
  }
}

/** When the agent was still as it should be after its recorded death, or null. */
function whenSeenLater(life, diedMs) {
  if (life.isWhole && isWhole(life)) return 'when that was read';
  const laterMs = life.lastWholeMs - diedMs;
  return laterMs > TICK_MS ? `${laterMs} ms later` : null;
}

function endsIn(text) {
  return text
    .split('\n')
    .filter((line) => ENDS.some((type) => line.includes(`"${type}"`)))
    .flatMap((line) => {
      try {
        const event = JSON.parse(line);
        return ENDS.includes(event.type) && typeof event.launch === 'string' ? [event] : [];
      } catch {
        return [];
      }
    });
}

/** An agent, what stands between it and the leader of its terminal, and that one's parent; or nothing. */
function chainOf(agent) {
  if (!isStill(agent)) return [];
  const chain = [agent];
  for (let last = agent; last.pid !== agent.session; last = chain.at(-1)) {
    const above = readStat(statLine(last.parent));
    if (above === null || above.session !== agent.session) return [];
    chain.push(above);
  }
  const server = readStat(statLine(chain.at(-1).parent));
  return server === null || server.pid === 1 ? [] : [...chain, server];
}

function isWhole({ chain }) {
  return chain.every(isStill);
}

function statLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}
