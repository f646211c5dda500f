import { sessionTarget, windowTarget } from './tmux-command.js';

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
