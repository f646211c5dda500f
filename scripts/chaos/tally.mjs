import { seconds } from '../lib/say.mjs';
import { quantile } from '../lib/statistics.mjs';
import { table } from '../lib/table.mjs';

/** Counts rounds by kind of fault, tells of violations at once, and makes the table at the end. */
export class Tally {
  #rounds;
  #say;
  #replayOptions;
  #tries;
  #start = performance.now();
  #rows = new Map();
  #faults = new Map();
  #impossible = new Map();
  #done = 0;
  #slowestMs = 0;
  violations = 0;

  /** A fault that was tried `tries` times and never struck proves nothing, and nobody would notice. */
  constructor({ rounds, say, replayOptions, tries }) {
    this.#rounds = rounds;
    this.#say = say;
    this.#replayOptions = replayOptions;
    this.#tries = tries;
  }

  /** `struck` is whether the fault really happened, or why it cannot happen here. */
  add({ fault, struck, problems, tookMs, restMs, ownMs, seed, root }) {
    const hasStruck = struck === true;
    const row = entry(this.#rows, fault.group, { ...NONE, restMs: [], ownMs: [] });
    const own = entry(this.#faults, fault.name, { ...NONE });
    for (const count of [row, own]) {
      count.rounds += 1;
      count.struck += hasStruck ? 1 : 0;
      count.violations += problems.length > 0 ? 1 : 0;
    }
    if (restMs !== undefined) {
      row.restMs.push(restMs);
      row.ownMs.push(ownMs);
    }
    if (typeof struck === 'string') this.#impossible.set(fault.name, struck);
    this.#done += 1;
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    if (problems.length === 0) return;
    this.violations += 1;
    const again = `npm run chaos -- ${this.#replayOptions(seed)}`;
    this.#say(`\nVIOLATION ${fault.name}, seed ${seed} (${again}), ${root}`);
    for (const problem of problems) this.#say(`  ${problem}`);
  }

  /** Whether nothing was broken, and every fault that was tried often enough has struck. */
  get isClean() {
    return this.violations === 0 && this.#hollow.length === 0;
  }

  get #unstruck() {
    return [...this.#faults]
      .filter(([name, { struck }]) => struck === 0 && !this.#impossible.has(name))
      .map(([name, { rounds }]) => ({ name, rounds }));
  }

  get #hollow() {
    return this.#unstruck.filter(({ rounds }) => rounds >= this.#tries);
  }

  showProgress() {
    const tookMs = performance.now() - this.#start;
    const each = this.#done === 0 ? '' : `, ${seconds(tookMs / this.#done)} each`;
    this.#say(
      `  ${this.#done} of ${this.#rounds} rounds in ${seconds(tookMs)}${each}, ${this.violations} violations`,
    );
  }

  report() {
    const groups = [...this.#rows].toSorted(([one], [other]) => one.localeCompare(other));
    const rows = groups.map(([group, row]) => cells(group, row));
    const all = groups.map(([, row]) => row).reduce(add, { ...NONE, restMs: [], ownMs: [] });
    return ['', table([...rows, cells('all', all)], HEADS), '', ...this.#closing(all)].join('\n');
  }

  #closing({ restMs, ownMs }) {
    const tookMs = performance.now() - this.#start;
    const each = seconds(tookMs / Math.max(1, this.#done));
    const rare = this.#unstruck.filter(({ rounds }) => rounds < this.#tries);
    return [
      `${this.#done} rounds in ${seconds(tookMs)} (${each} each, the longest ${seconds(this.#slowestMs)}).`,
      `From the end of the fault to rest: orange's own time ${spread(ownMs)}; with that of the agents ${spread(restMs)}.`,
      ...(rare.length === 0 ? [] : [`Never struck: ${rare.map(({ name }) => name).join(', ')}.`]),
      ...[...this.#impossible].map(([name, why]) => `Not possible here: ${name} (${why}).`),
      ...this.#hollow.map(
        ({ name, rounds }) =>
          `FAILED: ${name} was tried ${rounds === 1 ? 'once' : `${rounds} times`} and never struck.`,
      ),
    ];
  }
}

const NONE = { rounds: 0, struck: 0, violations: 0 };
const HEADS = ['fault', 'rounds', 'struck', 'violations', 'own time, p99', 'max'];

function entry(map, key, fresh) {
  if (!map.has(key)) map.set(key, fresh);
  return map.get(key);
}

function cells(group, { rounds, struck, violations, ownMs }) {
  const times = ownMs.length === 0 ? ['', ''] : [quantile(ownMs, 0.99), Math.max(...ownMs)];
  return [group, ...[rounds, struck, violations].map(String), ...times.map(shown)];
}

function shown(ms) {
  return ms === '' ? '' : seconds(ms);
}

function spread(times) {
  if (times.length === 0) return 'unknown';
  return `p99 ${seconds(quantile(times, 0.99))}, max ${seconds(Math.max(...times))}`;
}

function add(one, other) {
  return {
    rounds: one.rounds + other.rounds,
    struck: one.struck + other.struck,
    violations: one.violations + other.violations,
    restMs: [...one.restMs, ...other.restMs],
    ownMs: [...one.ownMs, ...other.ownMs],
  };
}
