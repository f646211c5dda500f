/** Says at which reconciles to look around: each while tasks change, ever fewer while none does. */
export class MendPace {
  #changes = -1;
  #gap = FIRST_GAP;
  #skip = 0;

  /** To be asked at each reconcile, with the number of changes that there have been so far. */
  isDue(changes: number): boolean {
    if (changes !== this.#changes) {
      this.#changes = changes;
      this.#gap = FIRST_GAP;
      this.#skip = FIRST_GAP - 1;
      return true;
    }
    if (this.#skip > 0) {
      this.#skip -= 1;
      return false;
    }
    this.#gap = Math.min(this.#gap * 2, LONGEST_GAP);
    this.#skip = this.#gap - 1;
    return true;
  }
}

const FIRST_GAP = 4;
const LONGEST_GAP = 12;
