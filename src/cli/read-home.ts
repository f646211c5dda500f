import { createHash } from 'node:crypto';
import { createLaunchRecords } from '../adapters/launch-records.js';
import { createProcessTable } from '../adapters/process-table.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { slotOf, type PoolFile } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import { success, type Result } from '../domain/result.js';
import { sessionState } from '../domain/session.js';
import { isTerminal } from '../domain/status.js';
import { allowedActions } from '../domain/task-actions.js';
import type { ProjectView, Snapshot, TaskView, WorkspaceView } from '../domain/task-view.js';
import { diagnoseUnreadable } from '../record/diagnose-unreadable.js';
import { createHistoryLog } from '../record/history-log.js';
import { projectSettingsFile, type Paths } from '../record/paths.js';
import { createPoolFile } from '../record/pool-file.js';
import { createProjectsFile } from '../record/projects-file.js';
import { createTaskStore, type LoadedTask, type StoredTask } from '../record/task-store.js';
import type { Files } from './command-context.js';
import { readSettings } from './read-settings.js';
import { recordedReasons } from './recorded-reasons.js';

type Home = { readonly files: Files; readonly paths: Paths };

/** What the daemon would show, read from the record when no daemon runs. Writes nothing. */
export async function readHome(home: Home): Promise<Result<Snapshot>> {
  const loaded = createTaskStore(home).loadAll();
  if (!loaded.ok) return loaded;
  const projects = createProjectsFile(home.files, home.paths.projectsFile).read();
  const pool = createPoolFile(home.files, home.paths.poolFile).read();
  const settings = await readSettings(home);
  const tasks = viewTasks(home, loaded.value);
  const known = projects.ok ? projects.value : [];
  return success({
    tasks,
    projects: known.map((project) => viewProject(home, project)),
    workspaces: viewWorkspaces(home, tasks, {
      projects: known,
      pool: pool.ok ? pool.value : { workspaces: {} },
    }),
    problems: [
      ...(projects.ok ? [] : diagnoseUnreadable(projects.failure, home.paths.projectsFile)),
      ...(pool.ok ? [] : diagnoseUnreadable(pool.failure, home.paths.poolFile)),
      ...(settings.ok
        ? settings.value.diagnostics
        : diagnoseUnreadable(settings.failure, home.paths.configFile)),
      ...unreadable(loaded.value),
    ],
  });
}

function unreadable(loaded: readonly LoadedTask[]): readonly Diagnostic[] {
  return loaded.flatMap((task) => (task.kind === 'unreadable' ? task.diagnostics : []));
}

function viewTasks(home: Home, loaded: readonly LoadedTask[]): readonly TaskView[] {
  const stored = loaded.filter((task) => task.kind === 'task');
  const statuses = new Map(stored.map(({ record }) => [record.fields.id, record.fields.status]));
  const launches = createLaunchRecords({
    runDir: home.paths.runDir,
    files: home.files,
    processes: createProcessTable(),
  });
  return stored.map((task) => {
    const { fields, extensions } = task.record;
    const session = sessionState({
      tmuxSession: fields.tmux_session,
      isAlive:
        fields.tmux_session !== null && launches.list(fields.id).some((agent) => agent.isAlive),
      status: fields.status,
    });
    return {
      fields,
      extensions,
      session,
      actions: allowedActions(fields.status, session),
      reasons: recordedReasons(task.record, (id) => statuses.get(id)),
      problems: task.diagnostics,
      status_since: statusSince(home, task),
    };
  });
}

// The history of a task that is over is not worth reading for its age.
function statusSince(home: Home, { record }: StoredTask): string {
  const { project, id, status, updated_at: updated, created_at: created } = record.fields;
  if (isTerminal(status)) return updated;
  const history = createHistoryLog(home.files).read(home.paths.historyFile(project, id));
  const isEntry = (event: HistoryEvent): boolean =>
    (event.type === 'status.changed' || event.type === 'auto.advanced') && event['to'] === status;
  const events = history.ok ? history.value.events : [];
  return events.findLast(isEntry)?.timestamp ?? created;
}

function viewProject(home: Home, project: Project): ProjectView {
  const { name, path, default_branch, pool_size } = project;
  return { name, path, default_branch, pool_size, trusted: trustOf(home, project) };
}

const MAX_SETTINGS_BYTES = 64 * 1024;

function trustOf(home: Home, project: Project): ProjectView['trusted'] {
  const file = home.files.readText(projectSettingsFile(project.path), MAX_SETTINGS_BYTES);
  if (!file.ok) return 'none-needed';
  if (project.trusted === undefined) return 'untrusted';
  const digest = createHash('sha256').update(file.value.text).digest('hex');
  return digest === project.trusted ? 'trusted' : 'changed';
}

function viewWorkspaces(
  home: Home,
  tasks: readonly TaskView[],
  record: { readonly projects: readonly Project[]; readonly pool: PoolFile },
): readonly WorkspaceView[] {
  const bound = new Map(
    tasks
      .filter((task) => isOwnWorkspace(task))
      .map((task) => [task.fields.workspace ?? '', task.fields]),
  );
  const names = [...new Set([...Object.keys(record.pool.workspaces), ...bound.keys()])];
  return names.flatMap((workspace): readonly WorkspaceView[] => {
    const task = bound.get(workspace);
    const project = task?.project ?? ownerOf(record.projects, workspace);
    const slot = project === undefined ? null : slotOf(project, workspace);
    if (project === undefined || slot === null) return [];
    return [
      {
        workspace,
        project,
        slot,
        status: task === undefined ? 'available' : 'bound',
        task_id: task?.id ?? null,
        task: task === undefined ? null : `${task.project}/${task.branch}`,
        path: home.paths.workspace(workspace),
      },
    ];
  });
}

function isOwnWorkspace({ fields }: TaskView): boolean {
  return fields.workspace !== null && slotOf(fields.project, fields.workspace) !== null;
}

function ownerOf(projects: readonly Project[], workspace: string): string | undefined {
  return projects.find((project) => slotOf(project.name, workspace) !== null)?.name;
}
