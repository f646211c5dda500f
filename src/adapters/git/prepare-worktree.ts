import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Failure } from '../../domain/failure.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { PrepareRequest } from '../../ports.js';
import { copyFiles } from './copy-files.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { readOwnSettings } from './own-settings.js';
import { refuseOccupied } from './refuse-occupied.js';
import { verifyIdle } from './release-worktree.js';
import { hasChanges } from './uncommitted-work.js';
import {
  readMemory,
  writeMemory,
  type SetupMemory,
  type WorktreeMemory,
} from './worktree-memory.js';
import type { Worktree } from './worktree-state.js';
import { needWorktree, readWorktree, unusable } from './worktree-state.js';

/**
 * Makes a clean worktree ready to work in: copies the wanted files, and runs the set-up commands
 * unless they ran there before on the same of what they depend on.
 */
export async function prepareWorktree(
  context: GitContext,
  request: PrepareRequest,
): Promise<Result<void>> {
  const found = await needWorktree(context, request);
  if (!found.ok) return found;
  const worktree = found.value;
  if (request.isStillIdle !== undefined) return prepareIdle(context, request, worktree);
  return inOrder(
    () => bringFiles(context, request, worktree),
    () => (request.pool.setup.length === 0 ? DONE : setUp(context, request, worktree)),
  );
}

/** Files are copied for a task, not before there is one. Somebody's work is never set up over. */
async function prepareIdle(
  context: GitContext,
  request: PrepareRequest,
  worktree: Worktree,
): Promise<Result<void>> {
  const isWanted = request.pool.setup.length > 0 && request.isStillIdle?.() === true;
  if (!isWanted || !worktree.isDetached) return DONE;
  return inOrder(
    () => refuseOccupied(context, worktree.path),
    () => verifyIdle(context, worktree),
    () => setUp(context, request, worktree),
  );
}

async function bringFiles(
  context: GitContext,
  request: PrepareRequest,
  worktree: Worktree,
): Promise<Result<unknown>> {
  const { repository, pool } = request;
  const memory = readMemory(context.files, worktree.gitDirectory);
  if (pool.copy.length === 0 && memory.copied.length === 0) return DONE;
  const order = { repository, worktree: worktree.path, patterns: pool.copy, before: memory.copied };
  const copied = await copyFiles(context, order);
  if (!copied.ok) return copied;
  for (const { path, reason } of copied.value.skipped) {
    const facts = { worktree: worktree.path, path, reason };
    context.log.write({ event: 'pool.not-copied', level: 'warn', ...facts });
  }
  if (copied.value.paths.join('\0') === memory.copied.join('\0')) return DONE;
  const next = { ...memory, copied: copied.value.paths };
  return writeMemory(context.files, worktree.gitDirectory, next);
}

async function setUp(
  context: GitContext,
  request: PrepareRequest,
  worktree: Worktree,
): Promise<Result<unknown>> {
  const { files } = context;
  const { gitDirectory } = worktree;
  const memory = readMemory(files, gitDirectory);
  const order = digest([request.pool.setup, request.pool.setupFiles]);
  const commit = worktree.head ?? '';
  if (memory.setup?.order === order && memory.setup.commit === commit) return DONE;
  const fingerprint = await takeFingerprint(context, request, worktree.path);
  if (!fingerprint.ok) return fingerprint;
  const known = { fingerprint: fingerprint.value, order, commit };
  if (memory.setup?.fingerprint === fingerprint.value) {
    const setup: SetupMemory = { ...known, at: memory.setup.at };
    return writeMemory(files, gitDirectory, { ...memory, setup });
  }
  return runSetup(context, request, { worktree, memory, known });
}

async function runSetup(
  context: GitContext,
  request: PrepareRequest,
  {
    worktree,
    memory,
    known,
  }: {
    readonly worktree: Worktree;
    readonly memory: WorktreeMemory;
    readonly known: Omit<SetupMemory, 'at'>;
  },
): Promise<Result<unknown>> {
  const { files, clock } = context;
  const { gitDirectory } = worktree;
  failpoint('setup.begun');
  const ran = await inOrder(
    // From here until all is well it counts as not set up.
    () => writeMemory(files, gitDirectory, { ...memory, setup: null }),
    () => runCommands(context, request, worktree),
  );
  const scrubbed = await scrub(context, request, worktree);
  if (!ran.ok || !scrubbed.ok) return ran.ok ? scrubbed : ran;
  failpoint('setup.done');
  const setup: SetupMemory = { ...known, at: new Date(clock.nowMs()).toISOString() };
  // What the commands set for this worktree is meant for every task that gets it.
  const own = readOwnSettings(files, gitDirectory);
  return writeMemory(files, gitDirectory, { ...memory, setup, own });
}

/** Digest of the commands and of what git has of the files that they depend on. */
async function takeFingerprint(
  context: GitContext,
  { pool }: PrepareRequest,
  directory: string,
): Promise<Result<string>> {
  const patterns = pool.setupFiles.filter((each) => !/^\/|(^|\/)\.\.(\/|$)|\0/.test(each));
  if (patterns.length === 0) return success(digest([pool.setup, []]));
  const pathspecs = patterns.map((each) =>
    each.includes('/') ? `:(top,glob)${each}` : `:(top,glob)**/${each}`,
  );
  const argv = ['ls-files', '--stage', '-z', '--', ...pathspecs];
  const listed = await context.git.list({ directory, argv });
  return listed.ok ? success(digest([pool.setup, listed.value])) : listed;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

async function runCommands(
  context: GitContext,
  request: PrepareRequest,
  worktree: Worktree,
): Promise<Result<void>> {
  const { pool, logFile, env, signal } = request;
  const cleared = await inOrder(
    () => context.files.makeDirectory(dirname(logFile)),
    () => context.files.remove(logFile),
  );
  if (!cleared.ok) return cleared;
  for (const line of pool.setup) {
    if (signal?.aborted === true) return failed(judgeEnd(request, line, null));
    request.onStep(`setting up (${line})`);
    context.log.write({ event: 'pool.setup', worktree: worktree.path, command: line });
    const outcome = await context.commands.run({
      line,
      directory: worktree.path,
      env,
      timeoutMs: pool.setupTimeoutMinutes * 60_000,
      logFile,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!outcome.ok) return outcome;
    const { exitCode } = outcome.value;
    if (exitCode !== 0) return failed(judgeEnd(request, line, exitCode));
  }
  return DONE;
}

function judgeEnd(
  { pool, logFile: log, signal }: PrepareRequest,
  command: string,
  exitCode: number | null,
): Failure {
  const why =
    signal?.aborted === true ? 'was stopped' : `took longer than ${pool.setupTimeoutMinutes} min`;
  const how = exitCode === null ? why : `ended with ${exitCode}`;
  return { kind: 'setup-failed', command, how, log };
}

/**
 * What the commands changed of tracked files, or left without git ignoring it, would be taken for
 * the task's work: it goes. It never is work of an agent, since none was there yet.
 */
async function scrub(
  context: GitContext,
  request: PrepareRequest,
  before: Worktree,
): Promise<Result<void>> {
  const { git } = context;
  const directory = before.path;
  const after = await readWorktree(context, request.repository, directory);
  if (!after.ok) return after;
  const isSame = after.value?.head === before.head && after.value?.branch === before.branch;
  if (!isSame) return unusable(directory, 'its set-up went to another commit or branch');
  const isChanged = await hasChanges(context, directory, ['.']);
  if (!isChanged.ok || !isChanged.value) return isChanged.ok ? DONE : isChanged;
  context.log.write({ event: 'pool.setup-scrubbed', level: 'warn', worktree: directory });
  const timeoutMs = CHECKOUT_TIMEOUT_MS;
  return inOrder(
    () => git.perform({ directory, argv: ['reset', '--hard', '--quiet'], timeoutMs }),
    () => git.perform({ directory, argv: ['clean', '-ffdq'], timeoutMs }),
  );
}
