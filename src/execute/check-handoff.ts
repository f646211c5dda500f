import { describeFailure } from '../domain/describe-failure.js';
import type { Effect } from '../domain/effect.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Execution } from './execution.js';
import { runChecks } from './run-checks.js';

type RunChecks = Extract<Effect, { kind: 'run-checks' }>;

/** Runs the checks of a Handoff where the work was done. What cannot even be run has not passed. */
export async function checkHandoff(execution: Execution, effect: RunChecks): Promise<Observation> {
  const { taskId, askedBy, handoff } = effect;
  const about = { kind: 'checked', taskId, askedBy, handoff } as const;
  const task = execution.findTask(taskId);
  const workspace = task?.fields.workspace ?? null;
  if (task === null || workspace === null) {
    return {
      ...about,
      checks: [unable({ kind: 'not-found', what: 'task', name: taskId })],
      log: '',
    };
  }
  failpoint('handoff.begun');
  const directory = execution.workspacePath(workspace);
  const order = { task, stage: 'handoff', directory, extent: 'until-failure' } as const;
  const checked = await execution.whileWanted(taskId, async (signal) =>
    runChecks(execution, { ...order, signal }),
  );
  failpoint('handoff.checked');
  if (!checked.ok) return { ...about, checks: [unable(checked.failure)], log: '' };
  return { ...about, checks: checked.value.runs, log: checked.value.log };
}

function unable(failure: Failure) {
  const tail = describeFailure(failure).message;
  const check = { result: 'failed', exitStatus: null, durationMs: 0, tail } as const;
  return { ...check, command: 'policy.checks.handoff' };
}
