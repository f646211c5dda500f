import type { Finding } from '../domain/finding.js';
import { findHolders } from './find-holders.js';
import { makeFinding } from './make-finding.js';
import type { Survey } from './survey.js';

/** Locks that a killed git left in a worktree. One that a living git may hold is no finding. */
export function findGitLocks(survey: Survey): readonly Finding[] {
  const holders = findHolders(survey.world);
  return survey.worktrees.flatMap(({ workspace, path, project, locks }): readonly Finding[] => {
    const holder = holders.get(workspace);
    const isBusy = holder !== undefined && holder.activity !== null;
    const stale = isBusy ? [] : locks.filter(({ isStale }) => isStale);
    if (project === null || stale.length === 0) return [];
    return [
      makeFinding({
        class: 'git-lock',
        message: `a git that is gone left ${stale.map((lock) => lock.path).join(', ')}`,
        remedy: 'The daemon removes it by itself; at once: orange doctor --fix git-lock',
        fixable: 'safe',
        task_id: holder?.fields.id ?? null,
        path,
      }),
    ];
  });
}
