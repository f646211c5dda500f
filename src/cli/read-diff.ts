import type { BranchDiff, DiffForm } from '../domain/branch-diff.js';
import { baseOf } from '../domain/extensions.js';
import { success, type Result } from '../domain/result.js';
import type { TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { requireProject } from './resolve-name.js';

export type DiffWish = {
  readonly form: DiffForm;
  /** Only these files or folders; all when there are none. */
  readonly paths: readonly string[];
  /** How wide a summary may be. */
  readonly columns?: number;
};

/** What a task has changed since it left its base, uncommitted work included. */
export async function readDiff(
  context: CommandContext,
  { fields, extensions }: TaskView,
  wish: DiffWish,
): Promise<Result<BranchDiff & { readonly base: string; readonly text: string }>> {
  const project = await requireProject(context, fields.project);
  if (!project.ok) return project;
  const base = baseOf(extensions) ?? project.value.default_branch;
  const repositories = await context.repositories();
  const diff = await repositories.diff({
    repository: project.value.path,
    worktree: fields.workspace === null ? null : context.paths.workspace(fields.workspace),
    branch: fields.branch,
    base,
    ...wish,
  });
  return diff.ok ? success({ ...diff.value, base, text: diff.value.all }) : diff;
}
