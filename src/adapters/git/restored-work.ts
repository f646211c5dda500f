import { join } from 'node:path';
import { success, type Result } from '../../domain/result.js';
import type { SalvageEntry } from '../../domain/salvage.js';
import { CHECKOUT_TIMEOUT_MS, type GitCall } from './git-command.js';
import { inOrder, type GitContext } from './git-context.js';
import { RAW_SCRATCH, type StoredFile } from './raw-checkout.js';
import { hashFiles } from './store-raw-content.js';
import type { Worktree } from './worktree-state.js';

export type Question = {
  readonly worktree: Worktree;
  readonly entry: SalvageEntry;
  /** `part`: files of the saved work may be missing, as it is only half restored. */
  readonly extent: 'whole' | 'part';
};

type Place = { readonly directory: string; readonly env: Readonly<Record<string, string>> };

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
  const copies = join(worktree.gitDirectory, 'orange-restored-files');
  const place: Place = { directory: worktree.path, env: { GIT_INDEX_FILE: scratch } };
  const prepared = await inOrder(
    () => git.perform({ ...place, argv: ['read-tree', `${entry.commit}^{tree}`] }),
    // Files that differ make it complain; which they are is asked next.
    () => git.run({ ...place, argv: ['update-index', '-q', '--really-refresh'] }),
    () => files.removeTree(copies),
  );
  const answer = prepared.ok
    ? await holdsNothingElse(context, place, { extent, copies })
    : prepared;
  for (const path of [scratch, `${scratch}.lock`]) files.remove(path);
  files.removeTree(copies);
  return answer;
}

async function holdsNothingElse(
  context: GitContext,
  place: Place,
  { extent, copies }: { readonly extent: Question['extent']; readonly copies: string },
): Promise<Result<boolean>> {
  const timeoutMs = CHECKOUT_TIMEOUT_MS;
  const others: GitCall = {
    ...place,
    argv: ['ls-files', '-z', '--others', '--exclude-standard'],
    timeoutMs,
  };
  const untracked = await context.git.list(others);
  if (!untracked.ok) return untracked;
  if (untracked.value.some((path) => !path.startsWith(`${RAW_SCRATCH}/`))) return success(false);
  const kinds = extent === 'part' ? ['--diff-filter=d'] : [];
  const argv = ['diff-files', '-z', '--raw', '--no-abbrev', '--ignore-submodules=dirty', ...kinds];
  const fields = await context.git.list({ ...place, argv, timeoutMs });
  if (!fields.ok) return fields;
  const changed = readSameKind(fields.value);
  return changed === null ? success(false) : areRestored(context, place, { changed, copies });
}

/** Files that differ in nothing but content; null when there is another difference. */
function readSameKind(fields: readonly string[]): readonly StoredFile[] | null {
  const found: StoredFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [was = '', mode = '', blob = ''] = (fields[at] ?? '').slice(1).split(' ');
    const path = fields[at + 1] ?? '';
    const isPlain = was === mode && mode.startsWith('100') && !path.includes('\uFFFD');
    if (!isPlain) return null;
    found.push({ mode, blob, path });
  }
  return found;
}

/**
 * Whether files have the very bytes that were saved, or those that git makes of them on the way
 * out: line ends and filters let them differ, and a restore may have come as far as either.
 */
async function areRestored(
  context: GitContext,
  place: Place,
  { changed, copies }: { readonly changed: readonly StoredFile[]; readonly copies: string },
): Promise<Result<boolean>> {
  const hashed = changed.length === 0 ? success([]) : await hashFiles(context, place, changed);
  if (!hashed.ok) return hashed;
  const left = changed
    .map(({ path, blob }, number) => ({ path, blob, found: hashed.value[number] }))
    .filter(({ blob, found }) => blob !== found);
  if (left.length === 0) return success(true);
  const written = await context.git.run({
    ...place,
    argv: ['checkout-index', '--quiet', `--prefix=${copies}/`, '-z', '--stdin'],
    input: left.map(({ path }) => `${path}\0`).join(''),
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
  if (!written.ok) return written;
  // One that git cannot write out is nothing that a restore has put there.
  if (written.value.exitCode !== 0) return success(false);
  const made = await hashFiles(
    context,
    place,
    left.map(({ path }) => ({ path: join(copies, path) })),
  );
  if (!made.ok) return made;
  return success(left.every(({ found }, number) => found === made.value[number]));
}
