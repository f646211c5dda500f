import { InternalError } from '../domain/failure.js';

const MAX_FOLLOW_UPS = 50;

/** A counter of decisions that follow from one, which ends those that never would. */
export function countSteps(tasks: number, taskId: string | null): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    // One thing may concern every task, e.g. when all of them change the same file.
    if (steps > MAX_FOLLOW_UPS + 2 * tasks) {
      throw new InternalError(`no end of decisions for ${taskId ?? '?'}`);
    }
  };
}
