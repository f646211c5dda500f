import { success, type Result } from '../domain/result.js';
import type { CommandContext } from './command-context.js';
import { requireProject, resolveTask } from './resolve-name.js';

/** Whose files a command is about: those of a task, or of nobody's in a project. */
export async function resolveOwner(
  context: CommandContext,
  named: { readonly task: string | undefined; readonly project: string | undefined },
): Promise<Result<{ readonly project: string; readonly taskId: string | null }>> {
  if (named.task !== undefined) {
    const task = await resolveTask(context, named.task);
    if (!task.ok) return task;
    const { id, project } = task.value.fields;
    return success({ project, taskId: id });
  }
  const project = await requireProject(context, named.project);
  return project.ok ? success({ project: project.value.name, taskId: null }) : project;
}
