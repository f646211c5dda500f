import { describeFailure } from '../domain/describe-failure.js';
import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';

/** The observation an effect leaves when it could not be carried out at all. */
export function failEffect(effect: Effect, failure: Failure): Observation | null {
  const reason = describeFailure(failure).message;
  const { taskId } = effect;
  switch (effect.kind) {
    case 'start-agent': {
      const { role, launchId, asked } = effect;
      const replaced = asked?.replaced === undefined ? {} : { replaced: asked.replaced };
      return { kind: 'start-failed', taskId, role, launchId, failure, reason, ...replaced };
    }
    case 'release-workspace':
      return { kind: 'release-failed', taskId, workspace: effect.workspace, failure, reason };
    case 'merge-branch':
      return {
        kind: 'merge-failed',
        taskId,
        askedBy: effect.askedBy,
        failure,
        reason,
        checks: [],
      };
    case 'tell-agent':
      return {
        kind: 'tell-failed',
        taskId,
        window: effect.window,
        message: effect.message,
        failure,
      };
    case 'rename-branch':
      return { kind: 'rename-failed', taskId, failure };
    case 'finalize':
      return { kind: 'finalize-failed', taskId, failure };
    case 'run-checks': {
      const check = { result: 'failed', exitStatus: null, durationMs: 0, tail: reason } as const;
      const { askedBy, handoff } = effect;
      const checks = [{ ...check, command: 'policy.checks.handoff' }];
      return { kind: 'checked', taskId, askedBy, handoff, checks, log: '' };
    }
    case 'open-pull-request':
    case 'view-pull-request':
      return { kind: 'pull-request-failed', taskId, askedBy: effect.askedBy, failure };
    case 'mark-reviewed':
    case 'delete-branch':
    case 'end-window':
    case 'keep-screen':
    case 'notify-human':
    case 'measure-drift':
      return null;
  }
}
