import { createHash } from 'node:crypto';
import { slotOf, type PoolFile } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import { success, type Result } from '../domain/result.js';
import type { ProjectView, Snapshot, TaskView, WorkspaceView } from '../domain/task-view.js';
import { diagnoseUnreadable } from '../record/diagnose-unreadable.js';
import { lastGoodProjects } from '../record/last-good-projects.js';
import { projectSettingsFile, type Paths } from '../record/paths.js';
import { createPoolFile } from '../record/pool-file.js';
import { createProjectsFile } from '../record/projects-file.js';
import { createTaskStore } from '../record/task-store.js';
import type { Files } from './command-context.js';
import { MAX_SETTINGS_BYTES, readSettings } from './read-settings.js';
import { viewTasks } from './view-tasks.js';

type Home = { readonly files: Files; readonly paths: Paths };

/** What the daemon would show, read from the record when no daemon runs. Writes nothing. */
export async function readHome(home: Home): Promise<Result<Snapshot>> {
  const { files, paths } = home;
  const loaded = createTaskStore(home).loadAll();
  if (!loaded.ok) return loaded;
  const projects = createProjectsFile(home.files, home.paths.projectsFile).read();
  const pool = createPoolFile(home.files, home.paths.poolFile).read();
  const settings = await readSettings(home);
  const { tasks, problems } = viewTasks(home, loaded.value);
  const known = projects.ok ? projects.value : (lastGoodProjects(files, paths).read() ?? []);
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
      ...problems,
    ],
  });
}

function viewProject(home: Home, project: Project): ProjectView {
  const { name, path, default_branch, pool_size } = project;
  return { name, path, default_branch, pool_size, trusted: trustOf(home, project) };
}

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
