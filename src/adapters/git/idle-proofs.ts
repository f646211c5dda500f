import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { GitContext, IdleProof } from './git-context.js';
import { areRulesSame, readIgnoreRules } from './ignore-rules.js';
import { isSameIndex, readIndexFacts, stampOfIndex } from './index-facts.js';
import { mayHaveOwnRefs } from './own-refs.js';
import { hasForeignSettings } from './own-settings.js';
import { verifyIdle } from './release-worktree.js';
import type { Worktree } from './worktree-state.js';
import { readWorktree } from './worktree-state.js';

/**
 * Looks an idle worktree through and has it watched from before that on, so that the look counts
 * until something stirs. Changes nothing in it.
 */
export async function proveIdle(
  context: GitContext,
  place: { readonly repository: string; readonly worktree: string },
): Promise<Result<boolean>> {
  const { stillness, idleProofs, lookedAt } = context;
  const { worktree: path } = place;
  if (stillness === null || idleProofs.has(path)) return success(stillness !== null);
  // One that was overtaken still has folders watched.
  if (lookedAt.has(path)) return success(false);
  lookedAt.add(path);
  try {
    return await prove(context, place);
  } finally {
    lookedAt.delete(path);
  }
}

async function prove(
  context: GitContext,
  { repository, worktree: path }: { readonly repository: string; readonly worktree: string },
): Promise<Result<boolean>> {
  const { stillness, idleProofs } = context;
  const found = await readWorktree(context, repository, path);
  if (!found.ok || found.value === null) return found.ok ? success(false) : found;
  const proof: IdleProof = { seen: null };
  idleProofs.set(path, proof);
  const seen = await lookThrough(context, repository, found.value);
  // Whoever took the worktree meanwhile has dropped this look.
  if (idleProofs.get(path) !== proof) {
    stillness?.forget(path);
    return success(false);
  }
  if (seen.ok) proof.seen = seen.value;
  if (proof.seen === null) dropProof(context, path);
  return seen.ok ? success(proof.seen !== null) : seen;
}

/** Whether a worktree was looked through and has been watched since. */
export function isProven({ idleProofs }: GitContext, path: string): boolean {
  return idleProofs.get(path)?.seen != null;
}

/** A look that counts no more for anybody else. */
export type TakenProof = { readonly proof: IdleProof; readonly isStill: Promise<boolean> };

/** Ends the watch over a worktree and has its thread asked what it has seen; null when none was kept. */
export function takeProof({ stillness, idleProofs }: GitContext, path: string): TakenProof | null {
  const proof = idleProofs.get(path);
  if (stillness === null || proof === undefined) return null;
  idleProofs.delete(path);
  return { proof, isStill: stillness.take(path) };
}

/** Whether a worktree still is what it was when it was looked through. */
export async function doesHold(
  context: GitContext,
  worktree: Worktree,
  taken: TakenProof,
): Promise<boolean> {
  return isAsSeen(context, worktree, taken.proof) && taken.isStill;
}

function isAsSeen(
  context: GitContext,
  { path, head, gitDirectory }: Worktree,
  { seen }: IdleProof,
): boolean {
  const { files } = context;
  const index = stampOfIndex(context, path);
  if (seen === null || index === null || seen.head !== head) return false;
  return (
    isSameIndex(seen.index, index) &&
    areRulesSame(context, seen.rules) &&
    !mayHaveOwnRefs(files, gitDirectory) &&
    !hasForeignSettings(files, gitDirectory)
  );
}

/** The look counts no more. */
export function dropProof({ stillness, idleProofs }: GitContext, path: string): void {
  idleProofs.delete(path);
  stillness?.forget(path);
}

/** What the worktree is like if it is idle, and has been since it is watched. */
async function lookThrough(
  context: GitContext,
  repository: string,
  worktree: Worktree,
): Promise<Result<IdleProof['seen']>> {
  const { path, head } = worktree;
  const index = stampOfIndex(context, path);
  const facts = await readIndexFacts(context, path);
  if (!facts.ok) return facts;
  // What goes on inside of another repository is not seen from here.
  if (head === null || index === null || facts.value.links.length > 0) return success(null);
  const rules = await readIgnoreRules(context, repository, worktree);
  if (!rules.ok || rules.value === null) return rules.ok ? success(null) : rules;
  const isIdle = await isIdleWhileWatched(context, worktree);
  if (!isIdle.ok) return isIdle;
  return success(isIdle.value ? { head, index, rules: rules.value } : null);
}

async function isIdleWhileWatched(
  context: GitContext,
  worktree: Worktree,
): Promise<Result<boolean>> {
  const isWatched = await watchTree(context, worktree);
  if (!isWatched.ok || !isWatched.value) return isWatched;
  const idle = await verifyIdle(context, worktree);
  return success(idle.ok && (await context.stillness?.isStill(worktree.path)) === true);
}

/** Watches every directory in which a file would be work: all but those that git ignores. */
async function watchTree(context: GitContext, worktree: Worktree): Promise<Result<boolean>> {
  const { git, stillness } = context;
  const directory = worktree.path;
  const argv = ['ls-tree', '-r', '-d', '-z', '--name-only', '--full-tree', worktree.head ?? 'HEAD'];
  const tracked = await git.list({ directory, argv });
  if (!tracked.ok) return tracked;
  let next: readonly string[] = ['', ...tracked.value];
  let others = await stillness?.watch(directory, next);
  for (;;) {
    if (others == null) return success(false);
    const known = new Set(next);
    const unwatched = await leaveIgnored(context, directory, others);
    if (!unwatched.ok) return unwatched;
    next = unwatched.value.filter((path) => !known.has(path));
    if (next.length === 0) return success(true);
    others = await stillness?.watchMore(directory, next);
  }
}

/** Those of the directories that git does not ignore as a whole. */
async function leaveIgnored(
  { git }: GitContext,
  directory: string,
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  if (paths.length === 0) return success([]);
  // A name that begins with a colon would be taken for a pattern.
  const input = paths.map((path) => `./${path}\0`).join('');
  const argv = ['check-ignore', '-z', '--stdin'];
  const asked = await git.run({ directory, argv, input });
  if (!asked.ok) return asked;
  const ignored = new Set(asked.value.stdout.split('\0'));
  return success(paths.filter((path) => !ignored.has(`./${path}`)));
}
