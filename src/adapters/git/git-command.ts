import { setTimeout as pause } from 'node:timers/promises';
import type { Failure } from '../../domain/failure.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { CommandOutcome } from '../run-command.js';
import { runCommand } from '../run-command.js';
import { classifyGitFailure } from './classify-git-failure.js';
import type { Environment } from './git-environment.js';
import { buildGitEnvironment } from './git-environment.js';
import type { ScreenCache } from './screen-cache.js';
import type { ScreenedSettings } from './untrusted-settings.js';
import { RISKY_KEYS, screenSettings } from './untrusted-settings.js';

export type GitCall = {
  readonly directory: string;
  /** The subcommand first. */
  readonly argv: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
};

/** Git without hooks, prompts, fsmonitor, or programs that a repository's configuration names. */
export interface Git {
  /** Every exit code is an outcome. */
  run(call: GitCall): Promise<Result<CommandOutcome>>;
  /** Standard output without its last line end; a non-zero exit code is a failure. */
  text(call: GitCall): Promise<Result<string>>;
  /** The fields of NUL-separated output. */
  list(call: GitCall): Promise<Result<readonly string[]>>;
  /** Exit code 0 is true, 1 is false, anything else a failure. */
  ask(call: GitCall): Promise<Result<boolean>>;
  perform(call: GitCall): Promise<Result<void>>;
}

export const CHECKOUT_TIMEOUT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 60_000;
const LARGE_OUTPUT_BYTES = 256 * 1024 * 1024;

/** With a cache, configuration is screened again only when it may have changed. */
export function createGit(environment: Environment, cache?: ScreenCache): Git {
  let isVersionChecked = false;

  const start = (call: GitCall, screened: ScreenedSettings) =>
    runCommand({
      program: 'git',
      argv: [...FIXED_OPTIONS, '-C', call.directory, ...call.argv],
      // The directory is git's to enter, so that its absence is git's complaint and not a spawn failure.
      cwd: '/',
      env: {
        ...buildGitEnvironment(environment, screened.overrides, screened.sshCommand),
        ...call.env,
      },
      timeoutMs: call.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxBytes: call.maxBytes ?? LARGE_OUTPUT_BYTES,
      action: call.argv[0] ?? '',
      ...(call.input === undefined ? {} : { input: call.input }),
    });

  const screen = async (call: GitCall): Promise<Result<ScreenedSettings>> => {
    if (!needsScreening(call.argv)) return success(UNSCREENED);
    const argv = ['config', '--includes', '--show-scope', '-z', '--get-regexp', RISKY_KEYS];
    const { directory, env } = call;
    const list = () => start({ directory, argv, ...(env && { env }) }, UNSCREENED);
    // Another index or object store is given for one call: such a call is rare.
    if (cache === undefined || env !== undefined) return readScreened(await list());
    return cache.recall(directory, async () => readScreened(await list()));
  };

  const run = async (call: GitCall): Promise<Result<CommandOutcome>> => {
    if (!isVersionChecked) {
      const checked = checkVersion(await start({ directory: '/', argv: ['version'] }, UNSCREENED));
      if (!checked.ok) return checked;
      isVersionChecked = true;
    }
    const screened = await screen(call);
    return screened.ok ? patiently(() => start(call, screened.value)) : screened;
  };

  const text = async (call: GitCall): Promise<Result<string>> => {
    const outcome = await run(call);
    if (!outcome.ok) return outcome;
    if (outcome.value.exitCode !== 0) return failed(explain(call, outcome.value));
    return success(outcome.value.stdout.replace(/\n$/, ''));
  };

  return {
    run,
    text,
    async list(call) {
      const output = await text(call);
      return output.ok ? success(output.value.split('\0').filter((field) => field !== '')) : output;
    },
    async ask(call) {
      const outcome = await run(call);
      if (!outcome.ok) return outcome;
      const { exitCode } = outcome.value;
      return exitCode > 1 ? failed(explain(call, outcome.value)) : success(exitCode === 0);
    },
    async perform(call) {
      const output = await text(call);
      return output.ok ? DONE : output;
    },
  };
}

const MAX_TRIES = 20;
const TRY_AGAIN_MS = 25;

type Attempt = Result<CommandOutcome>;

/** Tries again while git stumbles over a worktree that another git is just making. */
async function patiently(attempt: () => Promise<Attempt>): Promise<Attempt> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt();
    if (tries === MAX_TRIES || !meetsHalfWorktree(outcome)) return outcome;
    await pause(TRY_AGAIN_MS);
  }
}

// Its last file is not there yet, or the lock that it had while it was made is just gone.
const HALF_WORKTREE = /failed to read \S*worktrees\/\S+\/(?:commondir|locked'?: No such file)/;

function meetsHalfWorktree(outcome: Attempt): boolean {
  if (!outcome.ok || outcome.value.exitCode !== 128) return false;
  return HALF_WORKTREE.test(outcome.value.stderr);
}

/** 1 means that there are none; unreadable configuration is the command's own complaint. */
function readScreened(listed: Result<CommandOutcome>): Result<ScreenedSettings> {
  if (!listed.ok) return listed;
  const { exitCode, stdout } = listed.value;
  return success(exitCode === 0 ? screenSettings(stdout) : UNSCREENED);
}

/** The failure that a command's exit stands for. */
export function explain(call: GitCall, outcome: CommandOutcome): Failure {
  return classifyGitFailure({
    action: call.argv[0] ?? '',
    exitCode: outcome.exitCode,
    stderr: outcome.stderr,
    directory: call.directory,
  });
}

const UNSCREENED: ScreenedSettings = { overrides: [], sshCommand: null };

const FIXED_OPTIONS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'fetch.writeCommitGraph=false',
  'color.ui=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/**
 * Whether a command may read file content, sign, or reach another repository. Everything that
 * writes an index belongs here: git then looks once more at files that changed a moment ago.
 */
function needsScreening([command = '', first = '']: readonly string[]): boolean {
  if (command === 'worktree') return first === 'remove';
  if (command === 'commit-tree') return first === '-S';
  return SCREENED_COMMANDS.has(command);
}

const SCREENED_COMMANDS = new Set([
  'add',
  'am',
  'bisect',
  'checkout',
  'checkout-index',
  'cherry-pick',
  'diff',
  'diff-index',
  'fetch',
  'merge',
  'merge-tree',
  'push',
  'read-tree',
  'rebase',
  'reset',
  'revert',
  'status',
  'switch',
  'update-index',
  'write-tree',
]);

// merge-tree --write-tree came with this one.
const NEEDED_VERSION = [2, 38] as const;

function checkVersion(outcome: Result<CommandOutcome>): Result<void> {
  if (!outcome.ok) return outcome;
  const match = /(\d+)\.(\d+)(?:\.\d+)*/.exec(outcome.value.stdout);
  const [version = outcome.value.stdout.trim(), major = '0', minor = '0'] = match ?? [];
  const [neededMajor, neededMinor] = NEEDED_VERSION;
  const isNewEnough =
    Number(major) > neededMajor || (Number(major) === neededMajor && Number(minor) >= neededMinor);
  if (isNewEnough) return DONE;
  const needs = NEEDED_VERSION.join('.');
  return failed({ kind: 'program-too-old', program: 'git', version, needs });
}
