import type { Failure } from './failure.js';
import { isHindered, isMachineLimit } from './is-machine-fault.js';

const SOON_MS = 1000;
/** So soon after a limit is lifted all has to be as before; meanwhile a try costs next to nothing. */
const LIFTED_MS = 2000;
const LATER_MS = 30_000;
const LONGEST_MS = 30 * 60_000;

/** How long to wait after so many failures in a row before it is tried again. */
export function retryPauseMs(failure: Failure, failures: number): number {
  // Somebody works in it, and may leave at any time.
  if (failure.kind === 'worktree-occupied') return LATER_MS;
  const firstMs = isHindered(failure) ? SOON_MS : LATER_MS;
  const longestMs = isMachineLimit(failure) ? LIFTED_MS : LONGEST_MS;
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
