import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../domain/result.js';
import { DONE, failed } from '../../domain/result.js';
import type { GitContext } from './git-context.js';

/**
 * Fails while somebody works in a worktree that is about to be reset: agents have been ended before,
 * so it is a person's shell, or something that an agent hid too well. One that passes by is waited for.
 */
export async function refuseOccupied(
  { findOccupants, clock }: Pick<GitContext, 'findOccupants' | 'clock'>,
  worktree: string,
): Promise<Result<void>> {
  const deadline = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const found = findOccupants(worktree);
    if (!found.ok) return found;
    const [first] = found.value;
    if (first === undefined) return DONE;
    if (clock.monotonicMs() >= deadline) {
      const { pid, command } = first;
      return failed({ kind: 'worktree-occupied', worktree, pid, command });
    }
    await delay(POLL_MS);
  }
}

const WAIT_MS = 1000;
const POLL_MS = 100;
