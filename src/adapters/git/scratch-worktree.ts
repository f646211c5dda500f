import { dirname } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { Trial } from '../../domain/merge-request.js';
import { copyFiles } from './copy-files.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder, inRepositoryTurn } from './git-context.js';
import { findListed } from './worktree-list.js';

export type Scratch = { readonly repository: string; readonly commit: string };

/**
 * Tries a commit in a detached checkout of its own. Nothing in there is anybody's work, so it is
 * removed by force, before (what a crash left) and after. Must not run in the repository's turn.
 */
export async function tryInScratch(
  context: GitContext,
  { repository, commit }: Scratch,
  trial: Trial,
): Promise<Result<void>> {
  const { directory } = trial;
  return context.queue.run(`worktree:${directory}`, async () => {
    const outcome = await inOrder(
      () => removeScratch(context, repository, directory),
      () => makeScratch(context, { repository, commit }, directory),
      () => bringFiles(context, repository, trial),
      () => trial.run(directory),
    );
    failpoint('trial.over');
    const removed = await removeScratch(context, repository, directory);
    if (!removed.ok) trial.onLeft(removed.failure);
    return outcome;
  });
}

async function bringFiles(
  context: GitContext,
  repository: string,
  { directory: worktree, copy: patterns = [] }: Trial,
): Promise<Result<void>> {
  if (patterns.length === 0) return DONE;
  const copied = await copyFiles(context, { repository, worktree, patterns, before: [] });
  if (!copied.ok) return copied;
  for (const { path, reason } of copied.value.skipped) {
    context.log.write({ event: 'pool.not-copied', level: 'warn', worktree, path, reason });
  }
  return DONE;
}

/** Removes the checkout that a trial left because it was cut off. */
export function clearScratch(
  context: GitContext,
  repository: string,
  directory: string,
): Promise<Result<void>> {
  return context.queue.run(`worktree:${directory}`, () =>
    removeScratch(context, repository, directory),
  );
}

async function makeScratch(
  context: GitContext,
  { repository, commit }: Scratch,
  directory: string,
): Promise<Result<void>> {
  const { git, files } = context;
  const add = ['worktree', 'add', '--quiet', '--no-checkout', '--detach', directory, commit];
  const added = await inOrder(
    () => files.makeDirectory(dirname(directory)),
    () =>
      inRepositoryTurn(context, repository, () =>
        git.perform({ directory: repository, argv: add }),
      ),
    () =>
      git.perform({
        directory,
        argv: ['reset', '--hard', '--quiet', commit, '--'],
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      }),
  );
  failpoint('trial.made');
  return added;
}

async function removeScratch(
  context: GitContext,
  repository: string,
  directory: string,
): Promise<Result<void>> {
  const { git, files } = context;
  const entry = await findListed(context, repository, directory);
  if (!entry.ok) return entry;
  const listed = entry.value?.path ?? null;
  const state = files.stat(directory);
  const isThere = state.ok && state.value.kind !== 'absent';
  return inOrder(
    // What its commands wrote may be more than git is willing to remove.
    () => (isThere ? files.removeTree(directory) : DONE),
    () =>
      listed === null
        ? DONE
        : inRepositoryTurn(context, repository, () =>
            git.perform({
              directory: repository,
              argv: ['worktree', 'remove', '--force', '--force', listed],
            }),
          ),
  );
}
