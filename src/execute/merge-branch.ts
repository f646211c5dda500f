import { failpoint } from '../domain/failpoint.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Effect } from '../domain/effect.js';
import { baseOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import type { Execution } from './execution.js';

type Merge = Extract<Effect, { kind: 'merge-branch' }>;

export async function mergeBranch(execution: Execution, effect: Merge): Promise<Observation> {
  const task = execution.findTask(effect.taskId);
  if (task === null) {
    return mergeFailed(effect, { kind: 'not-found', what: 'task', name: effect.taskId });
  }
  const project = execution.findProject(task.fields.project);
  if (project === null) {
    return mergeFailed(effect, { kind: 'not-found', what: 'project', name: task.fields.project });
  }
  failpoint('merge.begun');
  const { workspace, branch } = task.fields;
  const merged = await execution.repositories.merge({
    repository: project.path,
    worktree: workspace === null ? null : execution.workspacePath(workspace),
    branch,
    base: baseOf(task.extensions) ?? project.default_branch,
    strategy: effect.strategy,
    taskId: effect.taskId,
    message: effect.message ?? commitMessage(task),
    push: effect.push,
  });
  if (!merged.ok) return mergeFailed(effect, merged.failure);
  failpoint('merge.before-recording');
  return {
    kind: 'merged',
    taskId: effect.taskId,
    askedBy: effect.askedBy,
    commit: merged.value.commit,
    strategy: effect.strategy,
  };
}

/** The summary's first line, then the task's id as a trailer that git can find again. */
function commitMessage(task: TaskState): string {
  const { summary, branch, id } = task.fields;
  const [subject, ...rest] = (summary.trim() === '' ? branch : summary.trim()).split(/\r?\n/);
  const body = rest.join('\n').trim();
  return [subject, '', ...(body === '' ? [] : [body, '']), `Orange-Task: ${id}`, ''].join('\n');
}

function mergeFailed(effect: Merge, failure: Failure): Observation {
  const reason = describeFailure(failure).message;
  return { kind: 'merge-failed', taskId: effect.taskId, failure, reason };
}
