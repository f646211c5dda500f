import { failpoint } from '../../domain/failpoint.js';
import { DONE, failed, success, type Result } from '../../domain/result.js';
import type { SalvageEntry } from '../../domain/salvage.js';
import { readCommit } from './commit-objects.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { inOrder, type GitContext } from './git-context.js';
import { writeRawFiles, type StoredFile } from './raw-checkout.js';
import { hashFiles } from './store-raw-content.js';
import type { Worktree } from './worktree-state.js';

/**
 * Makes a worktree into which the tree of saved work has been checked out exactly what was saved:
 * the bytes of every changed file, and the index.
 */
export function restoreFiles(
  context: GitContext,
  worktree: Worktree,
  entry: SalvageEntry,
): Promise<Result<void>> {
  failpoint('restore.filled');
  if (entry.kind === 'commit') return refreshIndex(context, worktree.path);
  return inOrder(
    () => restoreBytes(context, worktree, entry),
    () => restoreIndex(context, worktree.path, entry),
    () => refreshIndex(context, worktree.path),
  );
}

async function restoreBytes(
  context: GitContext,
  worktree: Worktree,
  entry: SalvageEntry,
): Promise<Result<void>> {
  const changed = await listChanged(context, worktree.path, entry);
  if (!changed.ok) return changed;
  const converted = await findConverted(context, worktree.path, changed.value);
  if (!converted.ok) return converted;
  const written = await writeRawFiles(context, worktree, converted.value);
  if (!written.ok) return written;
  const left = await findConverted(context, worktree.path, converted.value);
  if (!left.ok) return left;
  const [first] = left.value;
  if (first === undefined) return DONE;
  const { path } = worktree;
  const reason = `${first.path} could not be brought back as it was`;
  return failed({ kind: 'worktree-unusable', workspace: path, reason });
}

/** Regular files that the saved tree has otherwise than the commit it began from. */
async function listChanged(
  context: GitContext,
  directory: string,
  { head, commit }: SalvageEntry,
): Promise<Result<readonly StoredFile[]>> {
  const flags = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-commit-id'];
  const argv =
    head === null
      ? ['ls-tree', '-r', '-z', `${commit}^{tree}`]
      : ['diff-tree', ...flags, `${head}^{tree}`, `${commit}^{tree}`];
  const fields = await context.git.list({ directory, argv });
  if (!fields.ok) return fields;
  const files = head === null ? readTree(fields.value) : readChanges(fields.value);
  // A name that is not UTF-8 cannot be handed to git; its content is as git checked it out.
  return success(files.filter(({ mode, path }) => mode.startsWith('100') && !/\uFFFD/u.test(path)));
}

function readTree(lines: readonly string[]): readonly StoredFile[] {
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
    return { mode, blob, path: line.slice(tab + 1) };
  });
}

function readChanges(fields: readonly string[]): readonly StoredFile[] {
  const files: StoredFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , blob = ''] = (fields[at] ?? '').split(' ');
    files.push({ mode, blob, path: fields[at + 1] ?? '' });
  }
  return files;
}

/** Files whose bytes in the worktree are not those of their blob. */
async function findConverted(
  context: GitContext,
  directory: string,
  files: readonly StoredFile[],
): Promise<Result<readonly StoredFile[]>> {
  if (files.length === 0) return success([]);
  const hashed = await hashFiles(context, { directory, env: {} }, files);
  if (!hashed.ok) return hashed;
  return success(files.filter(({ blob }, number) => hashed.value[number] !== blob));
}

/** An index with conflicts cannot be kept; then everything is as if nothing had been staged. */
async function restoreIndex(
  { git }: GitContext,
  directory: string,
  entry: SalvageEntry,
): Promise<Result<void>> {
  const saved = await readCommit(git, directory, entry.commit);
  if (!saved.ok) return saved;
  const isConflicted = /^Index: conflicted$/mu.test(saved.value.message);
  const staged = saved.value.parents[entry.head === null ? 0 : 1];
  const source = isConflicted || staged === undefined ? entry.head : staged;
  const argv = source === null ? ['read-tree', '--empty'] : ['read-tree', `${source}^{tree}`];
  return git.perform({ directory, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
}

async function refreshIndex({ git }: GitContext, directory: string): Promise<Result<void>> {
  // Files that differ from the index are what is to be seen here, not a failure.
  const argv = ['update-index', '-q', '--really-refresh'];
  const refreshed = await git.run({ directory, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
  return refreshed.ok ? DONE : refreshed;
}
