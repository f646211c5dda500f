import type { Failure } from '../../domain/failure.js';
import { failed, success, type Result } from '../../domain/result.js';
import { buildGitEnvironment, type Environment } from '../git/git-environment.js';
import { runCommand } from '../run-command.js';
import { classifyGhFailure } from './classify-gh-failure.js';

export type GhCall = {
  readonly argv: readonly string[];
  /** host/owner/name, for what a failure says. */
  readonly repository: string;
  readonly input?: string;
};

/** The person's own gh: no prompt, no colours, no pager, a time limit, outside every repository. */
export interface Gh {
  text(call: GhCall): Promise<Result<string>>;
  /** What it prints, as a value whose shape nobody has looked at yet. */
  json(call: GhCall): Promise<Result<unknown>>;
}

const TIMEOUT_MS = 30_000;

export function createGh(environment: Environment): Gh {
  const text = async (call: GhCall): Promise<Result<string>> => {
    const { argv, repository, input } = call;
    const action = argv.slice(0, 2).join(' ');
    const outcome = await runCommand({
      program: 'gh',
      argv,
      // What a repository's configuration says is none of its business.
      cwd: '/',
      env: ghEnvironment(environment),
      timeoutMs: TIMEOUT_MS,
      action,
      ...(input === undefined ? {} : { input }),
    });
    if (!outcome.ok) return failed(explainStart(outcome.failure, repository));
    const { exitCode, stderr, stdout } = outcome.value;
    if (exitCode === 0) return success(stdout);
    return failed(classifyGhFailure({ action, exitCode, stderr, repository }));
  };
  return {
    text,
    async json(call) {
      const output = await text(call);
      if (!output.ok) return output;
      try {
        return success(JSON.parse(output.value) as unknown);
      } catch {
        return failed(unreadable(call.argv));
      }
    },
  };
}

/** What gh printed is not what it was asked for. */
export function unreadable(argv: readonly string[]): Failure {
  const action = argv.slice(0, 2).join(' ');
  const output = 'its answer cannot be read';
  return { kind: 'command-failed', program: 'gh', action, exitCode: 0, output };
}

function explainStart(failure: Failure, repository: string): Failure {
  if (failure.kind === 'program-missing') {
    return { kind: 'github-unavailable', reason: 'no-gh', where: '' };
  }
  if (failure.kind !== 'command-timed-out') return failure;
  const where = repository.split('/')[0] ?? '';
  return { kind: 'github-unavailable', reason: 'unreachable', where };
}

const NOT_INHERITED = new Set(['GH_DEBUG', 'GH_FORCE_TTY', 'GH_REPO', 'DEBUG', 'CLICOLOR_FORCE']);

function ghEnvironment(environment: Environment): Record<string, string> {
  const kept = Object.entries(buildGitEnvironment(environment, [], null)).filter(
    ([name]) => !NOT_INHERITED.has(name),
  );
  return {
    ...Object.fromEntries(kept),
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_SPINNER_DISABLED: '1',
    GH_PAGER: 'cat',
    GH_BROWSER: 'true',
    NO_COLOR: '1',
  };
}
