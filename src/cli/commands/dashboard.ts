import type { Client } from '../../api/client.js';
import type { Change, Note, Outcome } from '../../api/protocol.js';
import { describeFailure } from '../../domain/describe-failure.js';
import type { Request } from '../../domain/request.js';
import { failed, success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending } from '../command-context.js';
import type { JsonOption } from '../options.js';
import { readSettings } from '../read-settings.js';
import { resolveProject, resolveTask } from '../resolve-name.js';
import { attachArgv, howToComeBack, showSession } from './task-attach.js';

export type DashboardOptions = JsonOption & { readonly all?: boolean; readonly project?: string };

/** `orange` alone: the dashboard, which starts the daemon. */
export async function showDashboard(
  context: CommandContext,
  options: DashboardOptions,
): Promise<Ending> {
  const { screen } = context.terminal;
  if (screen === null || options.json === true) {
    return failed({ kind: 'not-a-terminal', action: 'open the dashboard' });
  }
  const client = await context.client();
  if (!client.ok) return client;
  const project =
    options.all === true ? success(null) : await resolveProject(context, options.project);
  if (!project.ok) return project;
  const settings = await readSettings(context);
  const { openDashboard } = await import('../../tui/open-dashboard.js');
  await openDashboard({
    client: dashboardClient(context),
    project: project.value?.name ?? null,
    showAll: options.all === true,
    stdin: screen.stdin,
    stdout: screen.stdout,
    attach: ({ session }) => attach(context, session),
    readTaskFile: (taskId) => readTaskFile(context, taskId),
    clock: { nowMs: context.nowMs },
    colors: (context.env['NO_COLOR'] ?? '') === '' ? 'colors' : 'plain',
    ...(settings.ok ? { limits: settings.value.settings.policy } : {}),
  });
  return ENDED_WELL;
}

// Each call asks for a connection, so the dashboard outlives a restart of the daemon.
function dashboardClient(context: CommandContext) {
  const withClient = async <T>(ask: (client: Client) => Promise<Result<T>>): Promise<Result<T>> => {
    const client = await context.client();
    return client.ok ? ask(client.value) : client;
  };
  return {
    subscribe: (onChange: (change: Change) => void, onClosed: () => void) =>
      withClient((client) => client.subscribe(onChange, onClosed)),
    submit: (request: Request, onProgress?: (note: Note) => void): Promise<Result<Outcome>> =>
      withClient((client) =>
        client.call(
          { method: 'submit', request, actor: context.actor },
          onProgress === undefined ? {} : { onProgress },
        ),
      ),
    peek: (taskId: string, lines: number) =>
      withClient(async (client) => {
        const peeked = await client.call({ method: 'peek', taskId, lines });
        return peeked.ok ? success(peeked.value.lines) : peeked;
      }),
  };
}

async function attach(context: CommandContext, session: string): Promise<string | null> {
  const argv = await attachArgv(context, session);
  if (!argv.ok) return describeFailure(argv.failure).message;
  context.output.note(howToComeBack(context.env['TMUX']));
  const shown = await showSession(context, argv.value);
  return shown.ok ? null : describeFailure(shown.failure).message;
}

async function readTaskFile(context: CommandContext, taskId: string): Promise<string> {
  const task = await resolveTask(context, taskId);
  if (!task.ok) return describeFailure(task.failure).message;
  const { readTaskDocument } = await import('../read-task.js');
  const document = readTaskDocument(context, task.value);
  return document.ok ? document.value.text : describeFailure(document.failure).message;
}
