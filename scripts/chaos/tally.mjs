import { seconds } from '../lib/say.mjs';
import { table } from '../lib/table.mjs';

/** Counts rounds by kind of fault, tells of violations at once, and makes the table at the end. */
export class Tally {
  #rounds;
  #say;
  #start = performance.now();
  #rows = new Map();
  #done = 0;
  #passes = 0;
  #slowestMs = 0;
  violations = 0;
  #unreached = [];

  constructor({ rounds, say }) {
    this.#rounds = rounds;
    this.#say = say;
  }

  add({ fault, struck, passes, problems, tookMs, seed, root }) {
    const row = this.#rows.get(fault.group) ?? { rounds: 0, struck: 0, violations: 0 };
    row.rounds += 1;
    row.struck += struck ? 1 : 0;
    row.violations += problems.length > 0 ? 1 : 0;
    this.#rows.set(fault.group, row);
    this.#done += 1;
    this.#passes = Math.max(this.#passes, passes);
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    if (!struck) this.#unreached.push(fault.name);
    if (problems.length === 0) return;
    this.violations += 1;
    this.#say(
      `\nVIOLATION ${fault.name}, seed ${seed} (npm run chaos -- --replay ${seed}), ${root}`,
    );
    for (const problem of problems) this.#say(`  ${problem}`);
  }

  showProgress() {
    const tookMs = performance.now() - this.#start;
    const each = this.#done === 0 ? '' : `, ${seconds(tookMs / this.#done)} each`;
    this.#say(
      `  ${this.#done} of ${this.#rounds} rounds in ${seconds(tookMs)}${each}, ${this.violations} violations`,
    );
  }

  report() {
    const rows = [...this.#rows]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([group, row]) => [
        group,
        String(row.rounds),
        String(row.struck),
        String(row.violations),
      ]);
    const sum = (key) => [...this.#rows.values()].reduce((all, row) => all + row[key], 0);
    const total = ['all', String(sum('rounds')), String(sum('struck')), String(sum('violations'))];
    const tookMs = performance.now() - this.#start;
    const missed =
      this.#unreached.length === 0 ? '' : `\nNot reached: ${this.#unreached.join(', ')}.`;
    return `
${table([...rows, total], ['fault', 'rounds', 'struck', 'violations'])}

${this.#done} rounds in ${seconds(tookMs)} (${seconds(tookMs / Math.max(1, this.#done))} each, the longest ${seconds(this.#slowestMs)}); at rest after at most ${this.#passes} pass${this.#passes === 1 ? '' : 'es'}.${missed}`;
  }
}
