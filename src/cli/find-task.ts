import { sep } from 'node:path';
import { failed, success, type Result } from '../domain/result.js';
import { isTerminal } from '../domain/status.js';
import type { ProjectView, Snapshot, TaskView } from '../domain/task-view.js';
import { nearestNames } from './nearest-names.js';

export const SHORTEST_PREFIX = 4;

/** The task that a person means: by id, by a unique prefix of it, or by `project/branch`. */
export function findTask(tasks: readonly TaskView[], name: string): Result<TaskView> {
  const exact = tasks.find((task) => task.fields.id === name);
  if (exact !== undefined) return success(exact);
  const byBranch = tasks.filter((task) => taskName(task) === name);
  if (byBranch.length > 0) return onlyOne(name, preferOpen(byBranch));
  const byPrefix = tasks.filter((task) => task.fields.id.startsWith(name));
  if (name.length >= SHORTEST_PREFIX && byPrefix.length > 0) return onlyOne(name, byPrefix);
  return failed({ kind: 'not-found', what: 'task', name, near: nearTasks(tasks, name) });
}

/** The task whose agent or worktree a command was called in, or null. */
export function taskAround(input: {
  readonly tasks: readonly TaskView[];
  readonly taskId: string | undefined;
  readonly cwd: string;
  readonly workspacesDir: string;
}): Result<TaskView> | null {
  if (input.taskId !== undefined && input.taskId !== '') return findTask(input.tasks, input.taskId);
  const workspace = workspaceAround(input.cwd, input.workspacesDir);
  if (workspace === null) return null;
  const bound = input.tasks.filter(
    (task) => task.fields.workspace === workspace && !isTerminal(task.fields.status),
  );
  const [only] = bound;
  return only === undefined ? null : onlyOne(workspace, bound);
}

/** The project whose checkout or worktree holds a directory, or null. */
export function projectAround(
  snapshot: Pick<Snapshot, 'projects' | 'workspaces'>,
  cwd: string,
  workspacesDir: string,
): ProjectView | null {
  const workspace = workspaceAround(cwd, workspacesDir);
  if (workspace !== null) {
    const owner = snapshot.workspaces.find((row) => row.workspace === workspace)?.project;
    const project = owner ?? workspace.replace(/--[0-9]+$/, '');
    return snapshot.projects.find((candidate) => candidate.name === project) ?? null;
  }
  const holders = snapshot.projects.filter((project) => isInside(cwd, project.path));
  return holders.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

export function findProject(projects: readonly ProjectView[], name: string): Result<ProjectView> {
  const project = projects.find((candidate) => candidate.name === name);
  if (project !== undefined) return success(project);
  const near = nearestNames(
    name,
    projects.map((candidate) => candidate.name),
  );
  return failed({ kind: 'not-found', what: 'project', name, near });
}

export function taskName(task: TaskView): string {
  return `${task.fields.project}/${task.fields.branch}`;
}

export function isInside(path: string, directory: string): boolean {
  const top = directory.endsWith(sep) ? directory : directory + sep;
  return path === directory || path.startsWith(top);
}

function workspaceAround(cwd: string, workspacesDir: string): string | null {
  if (cwd === workspacesDir || !isInside(cwd, workspacesDir)) return null;
  return cwd.slice(workspacesDir.length + 1).split(sep)[0] ?? null;
}

// Several tasks may have had one branch over time; the one that is not over is meant.
function preferOpen(found: readonly TaskView[]): readonly TaskView[] {
  const open = found.filter((task) => !isTerminal(task.fields.status));
  return open.length > 0 ? open : found;
}

function onlyOne(name: string, found: readonly TaskView[]): Result<TaskView> {
  const [first] = found;
  if (first !== undefined && found.length === 1) return success(first);
  const candidates = found.map((task) => `${task.fields.id} (${taskName(task)})`);
  return failed({ kind: 'ambiguous', what: 'task', name, candidates });
}

function nearTasks(tasks: readonly TaskView[], name: string): readonly string[] {
  const byBranch = tasks.filter((task) => task.fields.branch === name).map(taskName);
  if (byBranch.length > 0) return byBranch.slice(0, 3);
  const byPrefix = tasks.map((task) => task.fields.id).filter((id) => id.startsWith(name));
  if (name !== '' && byPrefix.length > 0) return byPrefix.slice(0, 3);
  return nearestNames(name, tasks.map(taskName));
}
