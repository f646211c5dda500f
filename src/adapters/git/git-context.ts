import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Clock, Files, FileStamp, Log, ProjectCommands, Stillness } from '../../ports.js';
import type { Git } from './git-command.js';
import type { PersonalFiles } from './personal-files.js';
import type { RepositoryQueue } from './repository-queue.js';

/** What orange asks of an index again and again, although it seldom changes. */
export type IndexFacts = {
  /** Entries that stand for a commit of another repository. */
  readonly links: readonly { readonly path: string; readonly object: string }[];
  readonly hasTaskFile: boolean;
  /** Whether git is told not to look at some file. */
  readonly hasHidden: boolean;
};

/** What a worktree was like when it was looked through; holds while nothing has stirred in it since. */
export type IdleProof = {
  /** Null while the look is under way. */
  seen: {
    readonly head: string;
    readonly index: FileStamp;
    readonly rules: IgnoreRules;
  } | null;
};

/** Files outside of a worktree that decide what git ignores in it, and what they say. */
export type IgnoreRules = {
  readonly settings: readonly string[];
  readonly patterns: readonly string[];
  readonly text: string;
};

/** What every git operation works with. */
export type GitContext = {
  readonly git: Git;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: RepositoryQueue;
  /** For looks through all files of a worktree, of which more at once than processors gain nothing. */
  readonly looks: RepositoryQueue;
  readonly fetchTimeoutMs: number;
  /** How long what was fetched counts as new. */
  readonly fetchFreshMs: number;
  /** What a project's trusted settings have run in its worktrees. */
  readonly commands: ProjectCommands;
  /** Who works in a directory now. */
  findOccupants(
    directory: string,
  ): Result<readonly { readonly pid: number; readonly command: string }[]>;
  /** Whether nobody has bound a socket at a place; what is no socket never was. */
  isUnbound(path: string): Promise<boolean>;
  /** Common directories of repositories seen before. */
  readonly commonDirectories: Map<string, string>;
  /** What was last read of the index of a worktree. */
  readonly indexFacts: Map<string, { readonly stamp: FileStamp; readonly facts: IndexFacts }>;
  /** Watches over idle worktrees; null where they cannot be watched. */
  readonly stillness: Stillness | null;
  /** Idle worktrees that were looked through, by their path. */
  readonly idleProofs: Map<string, IdleProof>;
  /** Worktrees at which a look is under way, also where it counts for nothing any more. */
  readonly lookedAt: Set<string>;
  readonly personalFiles: PersonalFiles;
  /** Pairs of commits, older first, and whether one leads to the other: that never changes. */
  readonly ancestries: Map<string, boolean>;
};

/** The directory that all worktrees of a repository share: its identity. */
export function readCommonDirectory(git: Git, directory: string): Promise<Result<string>> {
  return git.text({
    directory,
    argv: ['rev-parse', '--path-format=absolute', '--git-common-dir'],
  });
}

export async function findCommonDirectory(
  context: GitContext,
  repository: string,
): Promise<Result<string>> {
  const known = context.commonDirectories.get(repository);
  if (known !== undefined) return success(known);
  const found = await readCommonDirectory(context.git, repository);
  if (found.ok) context.commonDirectories.set(repository, found.value);
  return found;
}

/** Runs a step that touches refs or metadata after every earlier one of the same repository. */
export async function inRepositoryTurn<T>(
  context: GitContext,
  repository: string,
  step: () => Promise<Result<T>>,
): Promise<Result<T>> {
  return inTurn(context, repository, (common) => `repository:${common}`, step);
}

/** Runs a merge after every earlier one of the same repository. */
export async function inMergeTurn<T>(
  context: GitContext,
  repository: string,
  step: () => Promise<Result<T>>,
): Promise<Result<T>> {
  return inTurn(context, repository, (common) => `merge:${common}`, step);
}

/** Runs a step that makes, takes or removes a branch after every earlier one of that branch. */
export async function inBranchTurn<T>(
  context: GitContext,
  { repository, branch }: { readonly repository: string; readonly branch: string },
  step: () => Promise<Result<T>>,
): Promise<Result<T>> {
  return inTurn(context, repository, (common) => `branch:${common}:${branch}`, step);
}

async function inTurn<T>(
  context: GitContext,
  repository: string,
  turnOf: (commonDirectory: string) => string,
  step: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const common = await findCommonDirectory(context, repository);
  return common.ok ? context.queue.run(turnOf(common.value), step) : common;
}

/** Runs the steps one after the other until one fails. */
export async function inOrder(
  ...steps: readonly (() => Promise<Result<unknown>> | Result<unknown>)[]
): Promise<Result<void>> {
  for (const step of steps) {
    const outcome = await step();
    if (!outcome.ok) return outcome;
  }
  return success(undefined);
}
