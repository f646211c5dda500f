import { join } from 'node:path';
import { success, type Result } from '../../domain/result.js';
import type { SalvageEntry } from '../../domain/salvage.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { inOrder, type GitContext } from './git-context.js';
import type { Worktree } from './worktree-state.js';

export type Question = {
  readonly worktree: Worktree;
  readonly entry: SalvageEntry;
  /** `part`: files of the saved work may be missing, as it is only half restored. */
  readonly extent: 'whole' | 'part';
};

/**
 * Whether a worktree holds saved work and nothing else, ignored files aside, so that restoring it
 * once more loses nothing. Looks through an index of its own, and changes nothing.
 */
export async function isRestoredWork(
  context: GitContext,
  { worktree, entry, extent }: Question,
): Promise<Result<boolean>> {
  const { git, files } = context;
  const scratch = join(worktree.gitDirectory, 'orange-restored-index');
  const place = { directory: worktree.path, env: { GIT_INDEX_FILE: scratch } };
  const kinds = extent === 'part' ? ['--diff-filter=d'] : [];
  const found: string[] = [];
  const gather = async (...argv: readonly string[]): Promise<Result<void>> => {
    const listed = await git.list({ ...place, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
    if (listed.ok) found.push(...listed.value);
    return listed.ok ? success(undefined) : listed;
  };
  const looked = await inOrder(
    () => git.perform({ ...place, argv: ['read-tree', `${entry.commit}^{tree}`] }),
    // Files that differ make it complain; which they are is asked next.
    () => git.run({ ...place, argv: ['update-index', '-q', '--really-refresh'] }),
    () => gather('diff-files', '-z', '--name-only', '--ignore-submodules=dirty', ...kinds),
    () => gather('ls-files', '-z', '--others', '--exclude-standard'),
  );
  for (const path of [scratch, `${scratch}.lock`]) files.remove(path);
  return looked.ok ? success(found.length === 0) : looked;
}
