import type { Command } from 'commander';
import { failed, success, type Result } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { agentNotRunning } from '../name-in-failure.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { tmuxSocket } from '../tmux-socket.js';

export function addTaskAttachCommand(parent: Command, run: Run): void {
  withJson(parent.command('attach'))
    .description("go to the agent's terminal; with --json only print how")
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => attachToTask(context, name)),
    );
}

export async function attachToTask(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const session = liveSession(task.value);
  if (!session.ok) return session;
  const argv = await attachArgv(context, session.value);
  if (!argv.ok) return argv;
  if (context.output.form === 'json') {
    const value = { session: session.value, argv: ['tmux', ...argv.value] };
    context.output.result(value, () => '');
    return ENDED_WELL;
  }
  if (context.terminal.screen === null) return failed(NO_SCREEN);
  context.output.note(howToComeBack(context.env['TMUX']));
  return showSession(context, argv.value);
}

const NO_SCREEN = {
  kind: 'not-a-terminal',
  action: 'attach',
  instead: 'With --json the command that attaches is printed instead.',
} as const;

/** How to leave a session; inside another tmux the outer one takes the first key press. */
export function howToComeBack(outerTmux: string | undefined): string {
  return outerTmux === undefined || outerTmux === ''
    ? 'To come back: Ctrl-b d'
    : 'To come back: Ctrl-b Ctrl-b d (the first Ctrl-b is for your own tmux)';
}

export async function attachArgv(
  context: CommandContext,
  session: string,
): Promise<Result<readonly string[]>> {
  const socket = await tmuxSocket(context);
  if (!socket.ok) return socket;
  const { attachArguments } = await import('../../adapters/attach-session.js');
  return success(attachArguments({ socket: socket.value, session }));
}

/** Gives the terminal to tmux until the person leaves the session. */
export async function showSession(
  context: CommandContext,
  argv: readonly string[],
): Promise<Ending> {
  const { attachTerminal } = await import('../../adapters/attach-session.js');
  const shown = await attachTerminal(argv, context.env);
  return shown.ok ? ENDED_WELL : shown;
}

function liveSession(task: TaskView): Result<string> {
  const { tmux_session: session } = task.fields;
  return session !== null && task.session === 'active'
    ? success(session)
    : failed(agentNotRunning(task));
}
