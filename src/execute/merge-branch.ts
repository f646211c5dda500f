import type { CheckRun } from '../domain/check-run.js';
import { failpoint } from '../domain/failpoint.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Effect } from '../domain/effect.js';
import { baseOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import { DONE, failed, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import type { Trial } from '../domain/merge-request.js';
import type { Execution } from './execution.js';
import { findFailed, mergeChecks, runChecks } from './run-checks.js';

type Merge = Extract<Effect, { kind: 'merge-branch' }>;

/** Brings a task's branch into its base, if the project's checks pass on the result. */
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
  // From the beginning, so that checks do not even begin for a task that is to be cancelled.
  return execution.whileWanted(effect.taskId, async (signal) =>
    mergeChecked(execution, effect, {
      task,
      project,
      checks: checkResult(execution, task, signal),
    }),
  );
}

async function mergeChecked(
  execution: Execution,
  effect: Merge,
  {
    task,
    project,
    checks,
  }: {
    readonly task: TaskState;
    readonly project: Project;
    readonly checks: ReturnType<typeof checkResult>;
  },
): Promise<Observation> {
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
    heads: effect.heads,
    trial: checks.trial,
  });
  if (!merged.ok) return mergeFailed(effect, merged.failure, checks.runs());
  failpoint('merge.before-recording');
  return {
    kind: 'merged',
    taskId: effect.taskId,
    askedBy: effect.askedBy,
    commit: merged.value.commit,
    strategy: effect.strategy,
    checks: checks.runs(),
  };
}

/** What tries the result of a merge, and what came of it the last time. */
function checkResult(
  execution: Execution,
  task: TaskState,
  signal: AbortSignal,
): { readonly trial: Trial | null; runs(): readonly CheckRun[] } {
  const { project, id } = task.fields;
  let runs: readonly CheckRun[] = [];
  if (mergeChecks(execution.settingsFor(project)).length === 0) {
    return { trial: null, runs: () => runs };
  }
  const run = async (directory: string): Promise<Result<void>> => {
    const order = { task, stage: 'merge', directory, extent: 'until-failure', signal } as const;
    const checked = await runChecks(execution, order);
    if (!checked.ok) return checked;
    ({ runs } = checked.value);
    const check = findFailed(runs);
    const { log } = checked.value;
    return check === null ? DONE : failed({ kind: 'checks-failed', stage: 'merge', check, log });
  };
  const { copy } = execution.settingsFor(project).pool;
  return { trial: { ...execution.trialPlace(id), copy, run }, runs: () => runs };
}

/** The summary's first line, then the task's id as a trailer that git can find again. */
function commitMessage(task: TaskState): string {
  const { summary, branch, id } = task.fields;
  const [subject, ...rest] = (summary.trim() === '' ? branch : summary.trim()).split(/\r?\n/);
  const body = rest.join('\n').trim();
  return [subject, '', ...(body === '' ? [] : [body, '']), `Orange-Task: ${id}`, ''].join('\n');
}

function mergeFailed(
  effect: Merge,
  failure: Failure,
  checks: readonly CheckRun[] = [],
): Observation {
  const reason = describeFailure(failure).message;
  const { taskId, askedBy } = effect;
  return { kind: 'merge-failed', taskId, askedBy, failure, reason, checks };
}
