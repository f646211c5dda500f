import { DONE, type Result, failed } from '../domain/result.js';
import { runAttached } from './run-command.js';
import { classifyTmuxFailure, refusedByTmux, sessionTarget, windowTarget } from './tmux-command.js';

/** The arguments with which tmux shows a session, and only that one, on the caller's terminal. */
export function attachArguments(place: {
  readonly socket: string;
  readonly session: string;
  readonly window?: string;
}): readonly string[] {
  const target =
    place.window === undefined
      ? sessionTarget(place.session)
      : windowTarget(place.session, place.window);
  // -N: a server that is gone must not come back with the caller's environment and settings.
  return ['-N', '-S', place.socket, '-f', '/dev/null', 'attach-session', '-t', target];
}

/** An environment in which attaching works from inside somebody's own tmux too. */
export function attachEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name === 'TMUX' || name === 'TMUX_PANE' ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

/** Gives the caller's terminal to tmux until the person leaves the session. */
export async function attachTerminal(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<void>> {
  let said = '';
  const exitCode = await runAttached({
    program: 'tmux',
    argv,
    env: attachEnvironment(env),
    onErrors: (text) => {
      said = text;
    },
  });
  if (!exitCode.ok) return exitCode;
  if (exitCode.value === 0) return DONE;
  // A client that cannot attach says why; one whose server goes away under it has told its terminal.
  if (said.trim() === '') return failed({ kind: 'terminals-unreachable', reason: ENDED_UNDER_IT });
  const refusal = refusedByTmux([['attach']], said, exitCode.value);
  return classifyTmuxFailure(refusal) === 'no-server'
    ? failed({ kind: 'terminals-unreachable', reason: said.trim() })
    : failed(refusal);
}

const ENDED_UNDER_IT = 'the tmux server ended while its terminal was shown';
