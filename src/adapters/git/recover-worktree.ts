import { join } from 'node:path';
import { DONE, success, type Result } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { seeGitDirectory, seeHead } from './ref-files.js';
import { findMoved, findRecord, type WorktreeRecord } from './worktree-records.js';
import type { Worktree } from './worktree-state.js';
import { findGitDirectory, isVacant, readWorktree, unusable } from './worktree-state.js';

type Place = { readonly repository: string; readonly worktree: string };

/**
 * Makes sure that an agent has a worktree of this repository to work in, or nothing yet; anything
 * else is refused with what to do. By files alone, unless they leave a doubt.
 */
export async function verifyWorktree(
  context: GitContext,
  { repository, worktree: path }: Place,
  inTurn: <T>(step: () => Promise<Result<T>>) => Promise<Result<T>>,
): Promise<Result<'there' | 'absent'>> {
  const { files } = context;
  if (isVacant(files, path)) return success('absent');
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const gitDirectory = seeGitDirectory(files, common.value, path);
  if (gitDirectory !== null && seeHead(files, gitDirectory) !== null) return success('there');
  const found = await inTurn(() => recoverWorktree(context, { repository, worktree: path }));
  if (found.ok) return success(found.value === null ? 'absent' : 'there');
  if (found.failure.kind !== 'worktree-unusable') return found;
  return unusable(path, `${found.failure.reason}; ${REMEDY}`);
}

const REMEDY = 'it is left as it is: move it away, and the next start makes the worktree again';

/** Like `readWorktree`, but first puts back a `.git` that is all that is missing. */
export async function recoverWorktree(
  context: GitContext,
  { repository, worktree: path }: Place,
): Promise<Result<Worktree | null>> {
  const found = await readWorktree(context, repository, path);
  if (found.ok || found.failure.kind !== 'worktree-unusable') return found;
  const record = await findPointerless(context, { repository, worktree: path });
  if (!record.ok) return record;
  if (record.value === null) return found;
  const pointed = await putPointerBack(context, repository, { ...record.value, path });
  return pointed.ok ? readWorktree(context, repository, path) : pointed;
}

/** Git's record of a worktree whose directory is in its place and lacks nothing but its `.git`. */
export async function findPointerless(
  context: GitContext,
  { repository, worktree: path }: Place,
): Promise<Result<WorktreeRecord | null>> {
  const { files } = context;
  const directory = files.stat(path);
  if (!directory.ok || directory.value.kind !== 'directory') return success(null);
  const pointer = files.stat(join(path, '.git'));
  if (!pointer.ok || pointer.value.kind !== 'absent') return success(null);
  const record = await findRecord(context, repository, path);
  if (!record.ok || record.value === null) return record;
  // What somebody put in its place is not its work.
  return success(findMoved(files, { ...record.value, repository }) === null ? record.value : null);
}

async function putPointerBack(
  context: GitContext,
  repository: string,
  { path, gitDirectory }: WorktreeRecord,
): Promise<Result<void>> {
  const pointer = join(path, '.git');
  const written = context.files.replace(pointer, `gitdir: ${gitDirectory}\n`);
  if (!written.ok) return written;
  const seen = await findGitDirectory(context, repository, path);
  if (seen.ok) {
    context.log.write({ event: 'git.pointer-restored', level: 'warn', worktree: path });
    return DONE;
  }
  const removed = context.files.remove(pointer);
  return removed.ok ? seen : removed;
}
