import { availableParallelism } from 'node:os';
import { hasUncommittedWork } from './uncommitted-work.js';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Clock, Files, Log, ProjectCommands, Repositories, Stillness } from '../../ports.js';
import { createProjectCommands } from '../run-project-command.js';
import { bindWorktree } from './bind-worktree.js';
import { checkBranchName } from './branch-names.js';
import { deleteMergedBranch, renameBranch } from './branches.js';
import { changedPaths } from './changed-paths.js';
import { diffBranch } from './diff-branch.js';
import { ensureWorktree } from './ensure-worktree.js';
import { examineBranch } from './examine-branch.js';
import { createFetchRemote, type FetchRemote } from './fetch-remote.js';
import { forgetVanished } from './forget-vanished.js';
import { createGit } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inBranchTurn, inMergeTurn, inRepositoryTurn } from './git-context.js';
import type { Environment } from './git-environment.js';
import { mergeBranch } from './merge-branch.js';
import { forgetMerge, listMerges } from './merge-refs.js';
import { findPersonalFiles } from './personal-files.js';
import { prepareWorktree } from './prepare-worktree.js';
import { dropProof, isProven, proveIdle } from './idle-proofs.js';
import { rebuildWorktree } from './rebuild-worktree.js';
import { verifyWorktree } from './recover-worktree.js';
import { releaseWorktree } from './release-worktree.js';
import { removeWorktree } from './remove-worktree.js';
import { inspectRepository } from './repository-facts.js';
import { createRepositoryQueue, createWideQueue } from './repository-queue.js';
import { dropReviewed, markReviewed } from './reviewed-head.js';
import { clearScratch } from './scratch-worktree.js';
import { inspectWorktree } from './inspect-worktree.js';
import { restoreSalvage } from './restore-salvage.js';
import {
  dropSalvage,
  findSalvage,
  listSalvage,
  removeSalvage,
  showSalvage,
} from './salvage-refs.js';
import { ScreenCache } from './screen-cache.js';
import { clearLocks, findLocks } from './worktree-locks.js';
import { findCheckout, listWorktrees } from './worktree-list.js';
import { findVanished } from './worktree-records.js';

export type RepositoriesOptions = {
  readonly env: Environment;
  readonly files: Files;
  readonly clock: Clock;
  readonly log?: Log;
  /** How long a fetch may take before work goes on without it. */
  readonly fetchTimeoutMs?: number;
  /** How long what was fetched counts as new; a few seconds unless told. */
  readonly fetchFreshMs?: number;
  /** What runs a project's set-up; its own unless told. */
  readonly commands?: ProjectCommands;
  /** Whose processes a worktree must not be reset under; nobody's where it is not given. */
  readonly findOccupants?: GitContext['findOccupants'];
  /** Watches over idle worktrees; without it each is looked through when it is bound. */
  readonly stillness?: Stillness | null;
  /** What tells whether a socket may go; none does where it is not given. */
  readonly isUnbound?: GitContext['isUnbound'];
};

/** Git as the supervisor needs it. */
export function createRepositories(options: RepositoriesOptions): Repositories {
  const context = createContext(options);
  const { git } = context;
  const fetchRemote = createFetchRemote();
  // Two operations on the same worktree never overlap; a reader takes its turn too.
  const atWorktree = <T>(worktree: string | null, step: () => Promise<Result<T>>) =>
    worktree === null ? step() : context.queue.run(`worktree:${worktree}`, step);

  return {
    inspect: (path) => inspectRepository(git, path),
    checkBranchName: (branch) => checkBranchName(git, branch),
    branchCheckedOutAt: (repository, branch) => findCheckout(context, repository, branch),
    hasUncommittedWork: async (checkout) => {
      const facts = await inspectRepository(git, checkout);
      if (!facts.ok) return facts;
      return facts.value.isBare ? success(false) : hasUncommittedWork(context, checkout);
    },
    ensureWorktree: (request) =>
      atWorktree(request.worktree, async () => {
        const made = await ensureWorktree(context, request);
        return made.ok ? success(undefined) : made;
      }),
    bind: (request) =>
      atWorktree(request.worktree, () => bindWorktree(context, request, fetchRemote)),
    prepare: (request) => atWorktree(request.worktree, () => prepareWorktree(context, request)),
    release: (request) =>
      atWorktree(request.worktree, () => {
        dropProof(context, request.worktree);
        return releaseWorktree(context, request);
      }),
    renameBranch: (request) =>
      inRepositoryTurn(context, request.repository, () => renameBranch(context, request)),
    ...mergeOperations(context, { atWorktree, fetchRemote }),
    // In nobody's turn: whoever wants the worktree meanwhile does not wait for it.
    proveIdle: (request) => proveIdle(context, request),
    isProven: (worktree) => isProven(context, worktree),
    changedPaths: (request) => changedPaths(context, request),
    listWorktrees: (repository) => listCheckouts(context, repository),
    inspectWorktree: (request) =>
      atWorktree(request.worktree, () => inspectWorktree(context, request)),
    salvage: {
      list: (repository) => listSalvage(git, repository),
      async show({ repository, ref, form }) {
        const entry = await findSalvage(git, repository, ref);
        return entry.ok ? showSalvage(git, repository, { entry: entry.value, form }) : entry;
      },
      restore: (request) =>
        atWorktree('path' in request.place ? request.place.path : null, () =>
          restoreSalvage(context, request),
        ),
      drop: ({ repository, ref }) =>
        inRepositoryTurn(context, repository, () => dropSalvage(git, repository, ref)),
      remove: ({ repository, entry }) =>
        inRepositoryTurn(context, repository, () => removeSalvage(git, repository, entry)),
    },
    findLocks: (worktree) => findLocks(context, worktree),
    clearLocks: (repository, worktree) =>
      atWorktree(worktree, () => clearLocks(context, repository, worktree)),
    ...recordOperations(context, atWorktree),
    removeWorktree: (repository, worktree) =>
      atWorktree(worktree, () => removeWorktree(context, repository, worktree)),
  };
}

async function listCheckouts(
  { git }: GitContext,
  repository: string,
): ReturnType<Repositories['listWorktrees']> {
  const listed = await listWorktrees(git, repository);
  if (!listed.ok) return listed;
  return success(
    listed.value.filter(({ isBare }) => !isBare).map(({ path, branch }) => ({ path, branch })),
  );
}

function createContext(options: RepositoriesOptions): GitContext {
  const { files, clock } = options;
  return {
    git: createGit(options.env, new ScreenCache(files, options.env, () => clock.monotonicMs())),
    files: options.files,
    clock: options.clock,
    log: options.log ?? { write: () => undefined },
    queue: createRepositoryQueue(),
    looks: createWideQueue(availableParallelism() + 1),
    fetchTimeoutMs: options.fetchTimeoutMs ?? 8000,
    fetchFreshMs: options.fetchFreshMs ?? 3000,
    commands: options.commands ?? createProjectCommands(options),
    commonDirectories: new Map(),
    indexFacts: new Map(),
    stillness: options.stillness ?? null,
    idleProofs: new Map(),
    lookedAt: new Set(),
    personalFiles: findPersonalFiles(options.env),
    ancestries: new Map(),
    findOccupants: options.findOccupants ?? (() => success([])),
    isUnbound: options.isUnbound ?? (async () => false),
  };
}

/** What mends worktrees, and git's records of them. */
function recordOperations(
  context: GitContext,
  atWorktree: <T>(worktree: string, step: () => Promise<Result<T>>) => Promise<Result<T>>,
): Pick<Repositories, 'verifyWorktree' | 'rebuild' | 'findVanished' | 'forgetVanished'> {
  return {
    verifyWorktree: (request) =>
      verifyWorktree(context, request, (step) => atWorktree(request.worktree, step)),
    rebuild: (request) => atWorktree(request.worktree, () => rebuildWorktree(context, request)),
    findVanished: (repository, below) => findVanished(context, repository, below),
    forgetVanished: ({ repository, worktree, taskId }) =>
      atWorktree(worktree, async () => {
        const forgotten = await forgetVanished(context, { repository, path: worktree, taskId });
        return forgotten.ok ? success({ salvageRef: forgotten.value }) : forgotten;
      }),
  };
}

type MergeOperations = Pick<
  Repositories,
  | 'merge'
  | 'examine'
  | 'markReviewed'
  | 'dropReviewed'
  | 'clearTrial'
  | 'deleteMergedBranch'
  | 'listMerges'
  | 'forgetMerge'
  | 'diff'
>;

/** What judges a branch and brings it into its base. */
function mergeOperations(
  context: GitContext,
  parts: {
    readonly fetchRemote: FetchRemote;
    atWorktree<T>(worktree: string | null, step: () => Promise<Result<T>>): Promise<Result<T>>;
  },
): MergeOperations {
  const { fetchRemote } = parts;
  return {
    merge: (request) =>
      parts.atWorktree(request.worktree, async () => {
        // What is pushed on top of must be what is there now.
        const now = { ...context, fetchFreshMs: 0 };
        const fetched = request.push ? await fetchRemote(now, request.repository) : null;
        if (fetched?.ok === false) return fetched;
        return inMergeTurn(context, request.repository, () => mergeBranch(context, request));
      }),
    examine: (request) =>
      parts.atWorktree(request.worktree, async () => {
        const fetched = await fetchRemote(context, request.repository);
        return fetched.ok ? examineBranch(context, request) : fetched;
      }),
    markReviewed: (request) =>
      inRepositoryTurn(context, request.repository, () => markReviewed(context, request)),
    dropReviewed: (repository, taskId) =>
      inRepositoryTurn(context, repository, () => dropReviewed(context, repository, taskId)),
    clearTrial: (repository, directory) => clearScratch(context, repository, directory),
    deleteMergedBranch: (request) =>
      inRepositoryTurn(context, request.repository, () =>
        inBranchTurn(context, request, () => deleteMergedBranch(context, request)),
      ),
    listMerges: (repository) => listMerges(context.git, repository),
    forgetMerge: ({ repository, taskId }) =>
      inRepositoryTurn(context, repository, () => forgetMerge(context.git, repository, taskId)),
    diff: (request) => parts.atWorktree(request.worktree, () => diffBranch(context, request)),
  };
}
