import type { Effect } from '../domain/effect.js';
import type { Execution } from './execution.js';

/** Removes the branch of a merged task; one that stays, because somebody has it, is no trouble. */
export async function deleteBranch(
  execution: Execution,
  { taskId, branch }: Omit<Extract<Effect, { kind: 'delete-branch' }>, 'kind'>,
): Promise<null> {
  const { repositories, log } = execution;
  const task = execution.findTask(taskId);
  const project = task === null ? null : execution.findProject(task.fields.project);
  if (project === null) return null;
  const repository = project.path;
  const deleted = await repositories.deleteMergedBranch({ repository, branch, taskId });
  if (!deleted.ok) {
    const failure = deleted.failure.kind;
    log.write({ event: 'branch.kept', level: 'warn', task: taskId, branch, failure });
  }
  return null;
}
