import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** What clients were told, kept outside the home: the oracle holds orange to it. */
export class Ledger {
  #path;
  /** Task → the statuses that a watching client saw, in order. */
  seen = new Map();
  /** Task → the statuses that stood in answers; an answer may come after what happened later. */
  answered = new Map();
  /** Task → the summaries that it was given, each from when it was asked for to when that was over. */
  summaries = new Map();
  deleted = new Set();
  mayBeDeleted = new Set();

  constructor({ chaos }) {
    this.#path = join(chaos, 'acknowledged');
  }

  show({ fields: { id, status } }) {
    const seen = this.seen.get(id) ?? [];
    if (seen.at(-1) === status) return;
    this.seen.set(id, [...seen, status]);
    appendFileSync(this.#path, `${id} seen ${status}\n`);
  }

  answer({ fields: { id, status } }) {
    this.answered.set(id, (this.answered.get(id) ?? new Set()).add(status));
    appendFileSync(this.#path, `${id} answered ${status}\n`);
  }

  /**
   * Somebody is about to ask for a summary; gives whom to hand the answer. With an agent at work, which
   * writes the file as a whole, an earlier summary may come back.
   */
  propose(id, text, isAgentAtWork = () => false) {
    const entry = { text, sentMs: performance.now(), endedMs: Infinity, isLast: false };
    const wasAtWork = isAgentAtWork();
    this.summaries.set(id, [...(this.summaries.get(id) ?? []), entry]);
    return (answer) => {
      entry.endedMs = performance.now();
      entry.isLast = answer.result !== undefined && !wasAtWork && !isAgentAtWork();
      appendFileSync(this.#path, `${id} summary ${JSON.stringify(entry)}\n`);
    };
  }

  /** The file of a task is in somebody else's hands: nothing is known of its summary any more. */
  forgetSummaries(id) {
    this.summaries.delete(id);
  }

  /** From now on it may be gone, whether or not the answer arrives. */
  wantDeletion(id) {
    this.mayBeDeleted.add(id);
  }

  acknowledgeDeletion(id) {
    this.deleted.add(id);
    appendFileSync(this.#path, `${id} deleted\n`);
  }
}
