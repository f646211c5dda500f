import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import type { ReleaseRequest } from '../../ports.js';
import { setAside } from '../disk-files.js';
import { discardTree } from '../discard-tree.js';
import { ensureWorktree } from './ensure-worktree.js';
import { forgetVanished } from './forget-vanished.js';
import type { GitContext } from './git-context.js';
import { saveWork, verifyIdle, type Released } from './release-worktree.js';
import { refuseLocked } from './retire-record.js';
import type { Worktree } from './worktree-state.js';
import { readWorktree } from './worktree-state.js';

/**
 * Makes a worktree anew that would not come clean. What it holds is kept first, as at a release;
 * its files go, ignored ones too, and so does all that git knew of it.
 */
export async function rebuildWorktree(
  context: GitContext,
  request: ReleaseRequest,
): Promise<Result<Released>> {
  const found = await readWorktree(context, request.repository, request.worktree);
  if (!found.ok) return found;
  const saved = found.value === null ? NOTHING : await clearPlace(context, request, found.value);
  if (!saved.ok) return saved;
  const { aside, salvageRef } = saved.value;
  const { repository, worktree, taskId } = request;
  const forgotten = await forgetVanished(context, { repository, path: worktree, taskId });
  if (!forgotten.ok) return forgotten;
  failpoint('rebuild.forgotten');
  const made = await ensureWorktree(context, request);
  if (!made.ok) return made;
  failpoint('rebuild.made');
  context.log.write({ event: 'git.worktree-rebuilt', level: 'warn', worktree });
  const discarded = aside === null ? DONE : await discardTree(aside);
  // It is in nobody's way, and found again by its name.
  if (!discarded.ok) context.log.write({ event: 'git.not-discarded', level: 'warn', worktree });
  const verified = await verifyIdle(context, made.value);
  return verified.ok ? success({ salvageRef: salvageRef ?? forgotten.value }) : verified;
}

type Cleared = Released & { readonly aside: string | null };

const NOTHING: Result<Cleared> = success({ salvageRef: null, aside: null });

/** Keeps what is there, then moves it out of the way, which also works for files that cannot be removed. */
async function clearPlace(
  context: GitContext,
  { taskId }: ReleaseRequest,
  worktree: Worktree,
): Promise<Result<Cleared>> {
  const isFree = refuseLocked(context, worktree);
  if (!isFree.ok) return isFree;
  const saved = await saveWork(context, worktree, taskId);
  if (!saved.ok) return saved;
  failpoint('rebuild.saved');
  const aside = setAside(worktree.path);
  failpoint('rebuild.set-aside');
  return aside.ok ? success({ salvageRef: saved.value, aside: aside.value }) : aside;
}
