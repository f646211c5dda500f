import type { Client } from '../../api/client.js';
import type { Change, Note, Outcome } from '../../api/protocol.js';
import { describeFailure } from '../../domain/describe-failure.js';
import type { Request } from '../../domain/request.js';
import { failed, success, type Result } from '../../domain/result.js';
import { DEFAULT_SETTINGS, type MergeStrategy, type Settings } from '../../domain/settings.js';
import type { ProjectView } from '../../domain/task-view.js';
import { projectSettingsFile } from '../../record/paths.js';
import { ENDED_WELL, type CommandContext, type Ending } from '../command-context.js';
import type { JsonOption } from '../options.js';
import { withoutPaint } from '../paint.js';
import type { LastScreen } from '../read-last-screen.js';
import { MAX_SETTINGS_BYTES, readSettings } from '../read-settings.js';
import { repositoryAround, resolveProject, resolveTask } from '../resolve-name.js';
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
  if (context.env['TERM'] === 'dumb') return failed(DUMB);
  const client = await context.client();
  if (!client.ok) return client;
  const place = await findPlace(context, options);
  if (!place.ok) return place;
  const settings = await readSettings(context);
  const user = settings.ok ? settings.value.settings : DEFAULT_SETTINGS;
  const { openDashboard } = await import('../../tui/open-dashboard.js');
  context.output.endProgress();
  await openDashboard({
    client: dashboardClient(context),
    ...place.value,
    stdin: screen.stdin,
    stdout: screen.stdout,
    attach: ({ session }) => attach(context, session),
    readTaskFile: (taskId) => readTaskFile(context, taskId),
    readLastScreen: (taskId) => readStoredScreen(context, taskId),
    readDiff: (taskId) => readTaskDiff(context, taskId),
    clock: { nowMs: context.nowMs },
    colors: (context.env['NO_COLOR'] ?? '') === '' ? 'colors' : 'plain',
    limits: user.policy,
    strategyFor: await strategies(context, user),
  });
  return ENDED_WELL;
}

const DUMB = {
  kind: 'unsupported',
  what: 'open the dashboard on a terminal that cannot move its cursor (TERM=dumb)',
  instead: 'For a list use: orange ls',
} as const;

type Place = {
  readonly project: string | null;
  readonly showAll: boolean;
  readonly unregistered: string | null;
};

/** What the dashboard shows first, seen from where it was called. */
async function findPlace(
  context: CommandContext,
  options: DashboardOptions,
): Promise<Result<Place>> {
  if (options.all === true) return success({ project: null, showAll: true, unregistered: null });
  const project = await resolveProject(context, options.project);
  if (!project.ok) return project;
  const name = project.value?.name ?? null;
  const unregistered = name === null ? await repositoryAround(context) : null;
  return success({ project: name, showAll: false, unregistered });
}

// Each call asks for a connection, so the dashboard outlives a restart of the daemon. Only what a
// person asks for starts one: a daemon that was stopped stays stopped while somebody looks on.
function dashboardClient(context: CommandContext) {
  const withClient = async <T>(ask: (client: Client) => Promise<Result<T>>): Promise<Result<T>> => {
    const client = await context.client();
    return client.ok ? ask(client.value) : client;
  };
  return {
    startDaemon: () => withClient(() => Promise.resolve(success(null))),
    subscribe: async (onChange: (change: Change) => void, onClosed: () => void) => {
      const client = await context.runningClient();
      if (!client.ok) return client;
      if (client.value !== null) return client.value.subscribe(onChange, onClosed);
      const holder = await context.daemonHolder();
      return failed(holder === null ? NOT_RUNNING : { ...SILENT, pid: holder.pid });
    },
    submit: (request: Request, onProgress?: (note: Note) => void): Promise<Result<Outcome>> =>
      withClient((client) =>
        client.call(
          { method: 'submit', request, actor: context.actor },
          onProgress === undefined ? {} : { onProgress },
        ),
      ),
    locks: () => withClient((client) => client.call({ method: 'locks' })),
    peek: (taskId: string, lines: number) =>
      withClient(async (client) => {
        const peeked = await client.call({ method: 'peek', taskId, lines });
        return peeked.ok ? success(peeked.value.lines) : peeked;
      }),
  };
}

const NOT_RUNNING = { kind: 'daemon-unreachable', reason: 'ENOENT' } as const;
const SILENT = { kind: 'daemon-unreachable', reason: 'no-greeting-in-time' } as const;

/** The merge strategy by project: its own orange.yaml goes before the user's settings. */
async function strategies(
  context: CommandContext,
  user: Settings,
): Promise<(project: ProjectView) => MergeStrategy> {
  const { parseSettings } = await import('../../record/settings-file.js');
  return (project) => {
    const file = projectSettingsFile(project.path);
    const read = context.files.readText(file, MAX_SETTINGS_BYTES);
    const settings = read.ok ? parseSettings(read.value.text, file, user).settings : user;
    return settings.merge.strategy;
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

async function readStoredScreen(
  context: CommandContext,
  taskId: string,
): Promise<LastScreen | null> {
  const task = await resolveTask(context, taskId);
  if (!task.ok) return null;
  const { readTaskHistory } = await import('../read-task.js');
  const { readLastScreen } = await import('../read-last-screen.js');
  const history = readTaskHistory(context, task.value);
  return history.ok ? readLastScreen(context, task.value, history.value, SHOWN_LINES) : null;
}

const SHOWN_LINES = 200;

async function readTaskDiff(context: CommandContext, taskId: string): Promise<Result<string>> {
  const task = await resolveTask(context, taskId);
  if (!task.ok) return task;
  const { readDiff } = await import('../read-diff.js');
  const { formatDiff } = await import('./task-diff.js');
  const diff = await readDiff(context, task.value, { form: 'full', paths: [] });
  if (!diff.ok) return diff;
  const place = { branch: task.value.fields.branch, base: diff.value.base };
  // The dashboard has colours of its own.
  return success(withoutPaint(formatDiff(diff.value, 'full', place)));
}
