import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** What clients were told, kept outside the home: the oracle holds orange to it. */
export class Ledger {
  #path;
  /** Task → the statuses that a watching client saw, in order. */
  seen = new Map();
  /** Task → the statuses that stood in answers; an answer may come after what happened later. */
  answered = new Map();
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

  /** From now on it may be gone, whether or not the answer arrives. */
  wantDeletion(id) {
    this.mayBeDeleted.add(id);
  }

  acknowledgeDeletion(id) {
    this.deleted.add(id);
    appendFileSync(this.#path, `${id} deleted\n`);
  }
}
