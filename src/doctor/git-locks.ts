import type { Finding } from '../domain/finding.js';
import { findHolders } from './find-holders.js';
import { isRunning, makeFinding } from './make-finding.js';
import type { Survey } from './survey.js';

/** Locks that a killed git left in a worktree. One that a living git may hold is no finding. */
export function findGitLocks(survey: Survey): readonly Finding[] {
  const holders = findHolders(survey.world);
  return survey.worktrees.flatMap(({ workspace, path, project, locks }): readonly Finding[] => {
    const holder = holders.get(workspace);
    const isBusy = holder !== undefined && holder.activity !== null;
    const stale = isBusy ? [] : locks.filter(({ isStale }) => isStale);
    if (project === null || stale.length === 0) return [];
    // An agent may have its own ways to use git; it is not helped behind its back.
    const isUsed = holder !== undefined && [holder.worker, holder.reviewer].some(isRunning);
    return [
      makeFinding({
        class: 'git-lock',
        message: `a git that is gone left ${stale.map((lock) => lock.path).join(', ')}`,
        remedy: isUsed
          ? 'Remove it if the agent does not: orange doctor --fix git-lock'
          : 'The daemon removes it by itself; at once: orange doctor --fix git-lock',
        fixable: isUsed ? 'with-fix' : 'safe',
        task_id: holder?.fields.id ?? null,
        path,
      }),
    ];
  });
}
