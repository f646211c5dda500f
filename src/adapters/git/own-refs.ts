import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { resolveCommit } from './refs.js';
import { salvageCommit } from './salvage.js';
import type { Worktree } from './worktree-state.js';

type Place = Pick<Worktree, 'path' | 'gitDirectory'>;

type OwnRef = { readonly ref: string; readonly object: string };

/** Where git keeps refs that one worktree alone has. */
const FOLDERS = ['refs/bisect', 'refs/rewritten', 'refs/worktree'] as const;

/** Keeps commits that only refs of one worktree lead to; tells the first that was not kept before. */
export async function keepOwnRefs(
  context: GitContext,
  place: Place,
  taskId: string,
): Promise<Result<string | null>> {
  const refs = await listOwnRefs(context, place);
  if (!refs.ok) return refs;
  let first: string | null = null;
  for (const { object } of refs.value) {
    const commit = await resolveCommit(context.git, place.path, object);
    if (!commit.ok) return commit;
    if (commit.value === null) continue;
    const kept = await salvageCommit(context, place.path, { commit: commit.value, taskId });
    if (!kept.ok) return kept;
    first ??= kept.value;
  }
  return success(first);
}

/** Removes the refs that a worktree alone has. */
export async function dropOwnRefs(context: GitContext, place: Place): Promise<Result<void>> {
  const refs = await listOwnRefs(context, place);
  if (!refs.ok) return refs;
  for (const { ref, object } of refs.value) {
    // What is no commit is found again by its id for as long as git has it.
    context.log.write({ event: 'git.ref-dropped', worktree: place.path, ref, object });
    const argv = ['update-ref', '-d', ref, object];
    const dropped = await context.git.perform({ directory: place.path, argv });
    if (!dropped.ok) return dropped;
  }
  return DONE;
}

/** Refs that a worktree alone has; git is asked only where there may be any. */
export async function listOwnRefs(
  context: GitContext,
  { path, gitDirectory }: Place,
): Promise<Result<readonly OwnRef[]>> {
  if (!mayHaveOwnRefs(context.files, gitDirectory)) return success([]);
  const argv = ['for-each-ref', '--format=%(objectname) %(refname)', ...FOLDERS];
  const listed = await context.git.text({ directory: path, argv });
  if (!listed.ok) return listed;
  const lines = listed.value.split('\n').filter((line) => line !== '');
  return success(
    lines.map((line) => {
      const space = line.indexOf(' ');
      return { object: line.slice(0, space), ref: line.slice(space + 1) };
    }),
  );
}

/** False where git's files leave no doubt that there are none. */
export function mayHaveOwnRefs(files: Files, gitDirectory: string): boolean {
  const mayBe = (path: string): boolean => {
    const state = files.stat(join(gitDirectory, path));
    return !state.ok || state.value.kind !== 'absent';
  };
  return ['reftable', ...FOLDERS].some(mayBe);
}
