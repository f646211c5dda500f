import { join } from 'node:path';
import { success, type Result } from '../../domain/result.js';
import { runCommand } from '../run-command.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { findCommonDirectory, inOrder, type GitContext } from './git-context.js';
import type { Worktree } from './worktree-state.js';

/** A regular file as a tree has it. */
export type StoredFile = {
  readonly mode: string;
  readonly blob: string;
  readonly path: string;
};

/** Where files lie for a moment, in the worktree itself so that they can be moved. */
export const RAW_SCRATCH = '.orange-restoring';

/**
 * Gives files of a worktree the exact bytes of their blobs, past line ends and filters: git writes
 * them under numbers, in a place where no attributes apply, and they are moved from there.
 */
export async function writeRawFiles(
  context: GitContext,
  worktree: Worktree,
  wanted: readonly StoredFile[],
): Promise<Result<void>> {
  const scratch = join(worktree.path, RAW_SCRATCH);
  // A restore that was cut off may have left it.
  const emptied = context.files.removeTree(scratch);
  if (!emptied.ok || wanted.length === 0) return emptied;
  const common = await findCommonDirectory(context, worktree.path);
  if (!common.ok) return common;
  const written = await writeNumbered(context, wanted, { scratch, common: common.value });
  const moved = written.ok ? await moveAll(scratch, worktree.path, wanted) : written;
  const cleared = context.files.removeTree(scratch);
  return moved.ok ? cleared : moved;
}

async function writeNumbered(
  { git, files }: GitContext,
  wanted: readonly StoredFile[],
  { scratch, common }: { readonly scratch: string; readonly common: string },
): Promise<Result<void>> {
  const repository = join(scratch, 'git');
  const target = join(scratch, 'files');
  const env = {
    GIT_DIR: repository,
    GIT_WORK_TREE: target,
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    GIT_ATTR_NOSYSTEM: '1',
  };
  const at = { directory: target, env };
  const config = (key: string, value: string) =>
    git.perform({ ...at, argv: ['config', key, value] });
  return inOrder(
    () => files.makeDirectory(target),
    () => git.perform({ ...at, argv: ['init', '--quiet', '--template='] }),
    () => config('core.attributesFile', '/dev/null'),
    () => config('core.autocrlf', 'false'),
    () => config('core.eol', 'lf'),
    () =>
      git.perform({
        ...at,
        argv: ['update-index', '-z', '--index-info'],
        input: wanted.map(({ mode, blob }, number) => `${mode} ${blob}\t${number}\0`).join(''),
      }),
    () =>
      git.perform({
        ...at,
        argv: ['checkout-index', '--all', '--force', '--quiet'],
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      }),
  );
}

/** Whether each is there in the end is seen to by whoever asked for it. */
async function moveAll(
  scratch: string,
  worktree: string,
  wanted: readonly StoredFile[],
): Promise<Result<void>> {
  for (const [number, { path }] of wanted.entries()) {
    const argv = ['-f', '--', join(scratch, 'files', String(number)), join(worktree, path)];
    const moved = await runCommand({ program: 'mv', argv, timeoutMs: 60_000 });
    if (!moved.ok) return moved;
  }
  return success(undefined);
}
