import { type Result, success } from '../domain/result.js';
import { openPipe } from './open-pipe.js';
import { tmuxArguments, type TmuxCommand, type TmuxServer } from './tmux-command.js';

/** Somebody who waits for a server to answer, and may be sent away at any time. */
export type Herald = { drop(): void };

const ANY_QUESTION: TmuxCommand = ['show-options', '-s', 'exit-empty'];

/**
 * Waits, for as long as it takes, until a server answers a client of no consequence; null: it did.
 * tmux 3.3 crashes, with all agents, over two control clients that were gone before it let them in, as
 * those of daemons that come and go while it does not get its turn. Once it has answered, it is through
 * with those before.
 */
export function sendHerald(
  server: TmuxServer,
  onBack: (reason: string | null) => void,
): Result<Herald> {
  const built = tmuxArguments(server, [ANY_QUESTION], ['-N']);
  if (!built.ok) return built;
  let isAnswered = false;
  const pipe = openPipe({
    program: 'tmux',
    argv: built.value,
    env: server.env,
    onText: () => {
      isAnswered = true;
    },
    onEnd: ({ code, errors }) => onBack(isAnswered ? null : (code ?? (errors.trim() || 'ended'))),
  });
  return success({ drop: () => pipe.drop() });
}
