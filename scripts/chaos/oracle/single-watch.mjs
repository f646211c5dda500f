import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isStill, readStat } from '../processes.mjs';
import { readText } from './read-home.mjs';
import { violation } from './violation.mjs';

/** Two agents that are seen together for this long are no chance of when one looks. */
const TOGETHER_MS = 200;

/**
 * I3 over time: no launch is started twice, and a task never has two agents of one role. Each agent
 * enters itself in a ledger, to which lines are only added, when it begins. Only agents count: a
 * launcher that writes down how its agent ended may see the next one.
 */
export class SingleWatch {
  #path;
  #size = 0;
  #launches = new Set();
  /** Task and role → its agents that may still live. */
  #living = new Map();
  /** Two agents → since when they are seen together. */
  #together = new Map();
  violations = [];

  constructor({ chaos }) {
    this.#path = join(chaos, 'starts');
  }

  look(now = performance.now()) {
    this.#enterNew();
    for (const [subject, agents] of this.#living) {
      const living = agents.filter(isStill);
      this.#living.set(subject, living);
      for (const [index, other] of living.entries()) {
        for (const one of living.slice(0, index)) this.#judge({ subject, one, other, now });
      }
    }
  }

  #enterNew() {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === this.#size) return;
    const added = (readText(this.#path) ?? '').slice(this.#size);
    const whole = added.slice(0, added.lastIndexOf('\n') + 1);
    this.#size += whole.length;
    for (const line of whole.split('\n').filter(Boolean)) this.#enter(line);
  }

  #enter(line) {
    const [launch, taskId, role, ...rest] = line.split(' ');
    const process = readStat(rest.join(' '));
    const subject = `${taskId} ${role}`;
    if (this.#launches.has(launch)) {
      this.violations.push(violation('I3', subject, `launch ${launch} was started again: ${line}`));
    }
    this.#launches.add(launch);
    if (process === null) return;
    const agents = this.#living.get(subject) ?? [];
    this.#living.set(subject, [...agents, { ...process, launch }]);
  }

  #judge({ subject, one, other, now }) {
    const pair = `${one.pid} ${one.start} ${other.pid} ${other.start}`;
    const since = this.#together.get(pair) ?? now;
    this.#together.set(pair, since);
    const forMs = Math.round(now - since);
    if (forMs < TOGETHER_MS) return;
    // It is told of once.
    this.#together.set(pair, Infinity);
    const who = [one, other].map(({ launch, pid }) => `${launch} (pid ${pid})`).join(' and ');
    this.violations.push(violation('I3', subject, `${who} lived together for ${forMs} ms`));
  }
}
