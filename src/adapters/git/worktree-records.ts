import { basename, dirname, join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { VanishedWorktree } from '../../domain/worktree-records.js';
import type { Files } from '../../ports.js';
import { realDirectory } from '../disk-files.js';
import { isTemporaryName } from '../disk-steps.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';

/** What git has on record of a linked worktree, wherever its directory may be. */
export type WorktreeRecord = { readonly path: string; readonly gitDirectory: string };

const MAX_POINTER_BYTES = 4096;
/** A directory with more in it than this is not searched. */
const MAX_SEARCHED = 2000;

/** Git's record of the worktree at a path, which may be gone; null when it has none. */
export async function findRecord(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<WorktreeRecord | null>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const physical = join(realDirectory(dirname(path)) ?? dirname(path), basename(path));
  const records = listRecords(context.files, common.value);
  return success(records.find((each) => each.path === path || each.path === physical) ?? null);
}

/**
 * Worktrees right below a directory that git has on record although nothing is there. One that was
 * only moved is told by its own pointer, as far as it lies where people put such things. Starts no
 * process but for a repository that is new.
 */
export async function findVanished(
  context: GitContext,
  repository: string,
  below: string,
): Promise<Result<readonly VanishedWorktree[]>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const physical = realDirectory(below);
  if (physical === null) return success([]);
  const gone = listRecords(context.files, common.value).filter(
    ({ path }) => dirname(path) === physical && isAbsent(context.files, path),
  );
  return success(
    gone.map(({ path, gitDirectory }) => ({
      path: join(below, basename(path)),
      movedTo: findMoved(context.files, { repository, path, gitDirectory }),
      isLocked: readLock(context.files, gitDirectory) !== null,
    })),
  );
}

/** Where a worktree lies whose directory somebody moved; null when it is nowhere to be seen. */
export function findMoved(
  files: Files,
  moved: WorktreeRecord & { readonly repository: string },
): string | null {
  const pool = dirname(moved.path);
  const home = dirname(pool);
  const places = [pool, home, dirname(home), moved.repository, dirname(moved.repository)];
  for (const place of new Set(places)) {
    const listed = files.list(place);
    if (!listed.ok || listed.value.length > MAX_SEARCHED) continue;
    const found = listed.value
      // What orange itself has set aside goes by such a name.
      .filter((name) => !isTemporaryName(name))
      .map((name) => join(place, name))
      .find((path) => path !== moved.path && pointerOf(files, path) === moved.gitDirectory);
    if (found !== undefined) return found;
  }
  return null;
}

/** Why somebody wants a worktree kept; null when nobody does. While it makes one, git locks it itself. */
export function readLock(files: Files, gitDirectory: string): string | null {
  const lock = files.readText(join(gitDirectory, 'locked'), MAX_POINTER_BYTES);
  const reason = lock.ok ? lock.value.text.trim() : 'initializing';
  return reason === 'initializing' ? null : reason;
}

/** Whether nobody has a worktree any more: it is neither there nor elsewhere, and nobody locked it. */
export function isLost(files: Files, repository: string, record: WorktreeRecord): boolean {
  if (!isAbsent(files, record.path) || readLock(files, record.gitDirectory) !== null) return false;
  return findMoved(files, { ...record, repository }) === null;
}

function listRecords(files: Files, common: string): readonly WorktreeRecord[] {
  const folder = join(common, 'worktrees');
  const listed = files.list(folder);
  const names = listed.ok ? listed.value : [];
  return names.flatMap((name): readonly WorktreeRecord[] => {
    const gitDirectory = join(folder, name);
    const back = files.readText(join(gitDirectory, 'gitdir'), MAX_POINTER_BYTES);
    if (!back.ok) return [];
    const pointer = resolve(gitDirectory, back.value.text.trim());
    return [{ path: dirname(pointer), gitDirectory }];
  });
}

/** The git directory that a linked worktree names as its own. */
export function pointerOf(files: Files, worktree: string): string | null {
  const pointer = files.readText(join(worktree, '.git'), MAX_POINTER_BYTES);
  const target = pointer.ok ? /^gitdir: (.+)\n?$/.exec(pointer.value.text)?.[1] : undefined;
  return target === undefined ? null : resolve(worktree, target);
}

function isAbsent(files: Files, path: string): boolean {
  const state = files.stat(path);
  return state.ok && state.value.kind === 'absent';
}
