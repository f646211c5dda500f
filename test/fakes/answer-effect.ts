import type { Effect } from '../../src/domain/effect.js';
import type { Failure } from '../../src/domain/failure.js';
import type { Observation } from '../../src/domain/observation.js';
import { failEffect } from '../../src/daemon/fail-effect.js';

export const BROKEN: Failure = { kind: 'internal', message: 'the outside is broken' };

/** What comes of an effect in an outside where everything works. */
export function succeed(effect: Effect): Observation | null {
  const { taskId } = effect;
  switch (effect.kind) {
    case 'start-agent': {
      const { role, launchId, window, workspace, session, asked } = effect;
      const harnessSession = role === 'worker' ? `conversation-of-${taskId}` : null;
      return {
        kind: 'agent-started',
        taskId,
        role,
        launchId,
        window,
        workspace,
        session,
        harnessSession,
        ...(asked === undefined ? {} : { asked }),
      };
    }
    case 'release-workspace':
      return {
        kind: 'workspace-released',
        taskId,
        workspace: effect.workspace,
        salvageRefs: [`refs/orange/salvage/${taskId}/1`],
      };
    case 'tell-agent':
      return { kind: 'agent-told', taskId, message: effect.message };
    case 'merge-branch':
      return {
        kind: 'merged',
        taskId,
        askedBy: effect.askedBy,
        commit: 'c0ffee',
        strategy: effect.strategy,
        checks: [],
      };
    case 'rename-branch':
      return { kind: 'branch-renamed', taskId, to: effect.to };
    case 'finalize':
      return fail(effect);
    case 'run-checks':
      return {
        kind: 'checked',
        taskId,
        askedBy: effect.askedBy,
        handoff: effect.handoff,
        checks: [],
        log: '/log',
      };
    case 'open-pull-request':
    case 'view-pull-request':
      return {
        kind: 'pull-request-seen',
        taskId,
        askedBy: effect.askedBy,
        purpose: effect.kind === 'open-pull-request' ? 'opened' : effect.purpose,
        pullRequest: {
          url: 'https://github.com/acme/shop/pull/7',
          state: 'open',
          head: 'c0ffee',
          mergeCommit: null,
          checks: 'none',
          remarks: [],
        },
        hasNewerWork: false,
      };
    case 'mark-reviewed':
    case 'delete-branch':
    case 'end-window':
    case 'keep-screen':
    case 'notify-human':
    case 'measure-drift':
      return null;
  }
}

/** What comes of an effect that cannot be carried out. */
export function fail(effect: Effect, failure: Failure = BROKEN): Observation | null {
  return failEffect(effect, failure);
}
