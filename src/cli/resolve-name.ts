import { failed, success, type Result } from '../domain/result.js';
import type { ProjectView, TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { findProject, findTask, projectAround, taskAround } from './find-task.js';

/** The task a command is about: the one named, else the one it was called in. */
export async function resolveTask(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<TaskView>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const { tasks } = snapshot.value;
  if (name !== undefined) return findTask(tasks, name);
  const around = taskAround({
    tasks,
    taskId: context.env['ORANGE_TASK_ID'],
    cwd: context.cwd,
    workspacesDir: context.paths.workspacesDir,
  });
  return around ?? failed(NO_TASK);
}

/** The project a command is about, or null when none is named and the directory is in none. */
export async function resolveProject(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<ProjectView | null>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const { projects } = snapshot.value;
  if (name !== undefined) return findProject(projects, name);
  const around = projectAround(snapshot.value, context.cwd, context.paths.workspacesDir);
  if (around !== null || projects.length === 0) return success(around);
  const root = await repositoryAround(context);
  return success(projects.find((project) => project.path === root) ?? null);
}

/** Like `resolveProject`, where a project is needed. */
export async function requireProject(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<ProjectView>> {
  const project = await resolveProject(context, name);
  if (!project.ok) return project;
  return project.value === null ? failed(NO_PROJECT) : success(project.value);
}

/** The repository a command was called in; a worktree lies anywhere, and only git knows whose it is. */
export async function repositoryAround(context: CommandContext): Promise<string | null> {
  const repositories = await context.repositories();
  const facts = await repositories.inspect(context.cwd);
  return facts.ok ? facts.value.root : null;
}

const NO_TASK = {
  kind: 'invalid-argument',
  argument: 'task',
  value: '',
  rule: 'none is named, and this directory is not the worktree of one',
  remedy:
    'Give an id, the first 4 or more characters of one, or project/branch (see: orange ls --all)',
} as const;

const NO_PROJECT = {
  kind: 'invalid-argument',
  argument: 'project',
  value: '',
  rule: 'none is named, and this directory belongs to none',
  remedy: 'Go to its repository, give --project NAME, or register it: orange project add PATH',
} as const;
