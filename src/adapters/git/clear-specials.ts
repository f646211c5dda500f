import { dirname, join, relative } from 'node:path';
import { success, type Result } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import { realDirectory } from '../disk-files.js';
import { runCommand } from '../run-command.js';
import type { GitContext } from './git-context.js';

/** So many directories are named to one command. */
const AT_ONCE = 500;

/**
 * Removes pipes and sockets that nobody has open from the directories of tracked files: git does
 * not see them, and takes them away only with a directory of their own. What cannot be told stays.
 */
export async function clearSpecials(
  context: GitContext,
  worktree: string,
  ignored: 'kept' | 'removed',
): Promise<void> {
  const found = await findSpecials(context, worktree);
  const wanted =
    found.ok && ignored === 'kept' ? await withoutIgnored(context, worktree, found.value) : found;
  if (!wanted.ok) {
    context.log.write({ event: 'git.specials-unseen', worktree, failure: wanted.failure.kind });
    return;
  }
  for (const path of wanted.value) {
    if (!isInPlace(worktree, path) || (await isInUse(context, path))) continue;
    context.log.write({ event: 'git.special-removed', worktree, path });
    context.files.remove(path);
  }
}

async function findSpecials(
  { git }: GitContext,
  worktree: string,
): Promise<Result<readonly string[]>> {
  const tracked = await git.list({ directory: worktree, argv: ['ls-files', '-z'] });
  if (!tracked.ok) return tracked;
  const directories = [...directoriesOf(tracked.value)].map((path) => join(worktree, path));
  const found: string[] = [];
  for (let at = 0; at < directories.length; at += AT_ONCE) {
    const kinds = ['(', '-type', 'p', '-o', '-type', 's', ')'];
    const argv = [...directories.slice(at, at + AT_ONCE), '-maxdepth', '1', ...kinds, '-print0'];
    // It complains of directories that a task removed.
    const listed = await runCommand({ program: 'find', argv, cwd: '/', timeoutMs: 60_000 });
    if (!listed.ok) return listed;
    found.push(...listed.value.stdout.split('\0').filter((path) => path !== ''));
  }
  return success(found);
}

/** Every directory above a file, the top as an empty name. */
function directoriesOf(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>(['']);
  let last = '';
  for (const path of paths) {
    const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (directory === last) continue;
    last = directory;
    for (
      let each = directory;
      !found.has(each);
      each = each.slice(0, Math.max(0, each.lastIndexOf('/')))
    )
      found.add(each);
  }
  return found;
}

async function withoutIgnored(
  { git }: GitContext,
  worktree: string,
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  if (paths.length === 0) return success(paths);
  const input = paths.map((path) => `${relative(worktree, path)}\0`).join('');
  const argv = ['check-ignore', '-z', '--stdin'];
  const listed = await git.run({ directory: worktree, argv, input });
  if (!listed.ok) return listed;
  const ignored = new Set(listed.value.stdout.split('\0'));
  return success(paths.filter((path) => !ignored.has(relative(worktree, path))));
}

/** Whether no link on the way leads out of the worktree. */
function isInPlace(worktree: string, path: string): boolean {
  const top = realDirectory(worktree);
  return (
    top !== null && realDirectory(dirname(path)) === join(top, relative(worktree, dirname(path)))
  );
}

/** Where nobody can tell, it counts as in use. */
async function isInUse(context: GitContext, path: string): Promise<boolean> {
  return !(await context.isUnbound(path)) || isOpen(context.files, path);
}

function isOpen(files: Files, path: string): boolean {
  const processes = files.list('/proc');
  if (!processes.ok) return true;
  return processes.value
    .filter((name) => /^[0-9]+$/.test(name))
    .some((pid) => {
      const open = files.list(`/proc/${pid}/fd`);
      return (open.ok ? open.value : []).some((fd) => {
        const state = files.stat(`/proc/${pid}/fd/${fd}`);
        return state.ok && state.value.kind === 'link' && state.value.target === path;
      });
    });
}
