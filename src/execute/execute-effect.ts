import { failpoint } from '../domain/failpoint.js';
import type { Effect } from '../domain/effect.js';
import type { Observation } from '../domain/observation.js';
import { messageText } from '../harness/messages.js';
import type { Execution } from './execution.js';
import { checkHandoff } from './check-handoff.js';
import { deleteBranch } from './delete-branch.js';
import { finalize } from './finalize.js';
import { keepScreen } from './keep-screen.js';
import { measureDrift } from './measure-drift.js';
import { mergeBranch } from './merge-branch.js';
import { openPullRequest, viewPullRequest } from './pull-request.js';
import { releaseWorkspace } from './release-workspace.js';
import { startAgent } from './start-agent.js';

/** Carries out one effect. What came of it is an observation, or null when nothing depends on it. */
export async function executeEffect(
  execution: Execution,
  effect: Effect,
): Promise<Observation | null> {
  switch (effect.kind) {
    case 'start-agent':
      return startAgent(execution, effect);
    case 'end-window':
      return endWindow(execution, effect);
    case 'release-workspace':
      return releaseWorkspace(execution, effect);
    case 'merge-branch':
      return mergeBranch(execution, effect);
    case 'finalize':
      return finalize(execution, effect);
    case 'run-checks':
      return checkHandoff(execution, effect);
    case 'mark-reviewed':
      return markReviewed(execution, effect);
    case 'keep-screen':
      return keepScreen(execution, effect);
    case 'tell-agent':
      return tellAgent(execution, effect);
    case 'notify-human':
      execution.postNotice(effect.taskId, effect.cause);
      return null;
    case 'measure-drift':
      return measureDrift(execution, effect.taskId);
    case 'rename-branch':
      return renameBranch(execution, effect);
    case 'delete-branch':
      return deleteBranch(execution, effect);
    case 'open-pull-request':
      return openPullRequest(execution, effect);
    case 'view-pull-request':
      return viewPullRequest(execution, effect);
  }
}

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

async function endWindow(execution: Execution, effect: EffectOf<'end-window'>): Promise<null> {
  const ended = await execution.sessions.endWindow(effect.taskId, effect);
  if (!ended.ok) {
    execution.log.write({
      event: 'window.not-ended',
      level: 'warn',
      task: effect.taskId,
      window: effect.window,
      failure: ended.failure.kind,
    });
  }
  return null;
}

/** Without the mark a merge does not notice that the branch has moved; it is no reason to stop. */
async function markReviewed(
  execution: Execution,
  { taskId }: EffectOf<'mark-reviewed'>,
): Promise<null> {
  const task = execution.findTask(taskId);
  const project = task === null ? null : execution.findProject(task.fields.project);
  if (task === null || project === null) return null;
  const { branch } = task.fields;
  const marked = await execution.repositories.markReviewed({
    repository: project.path,
    branch,
    taskId,
  });
  failpoint('review.marked');
  if (!marked.ok) {
    const failure = marked.failure.kind;
    execution.log.write({ event: 'review.not-marked', level: 'warn', task: taskId, failure });
  }
  return null;
}

async function tellAgent(
  execution: Execution,
  effect: EffectOf<'tell-agent'>,
): Promise<Observation> {
  const { taskId, window, message } = effect;
  const told = await execution.sessions.tell(effect, messageText(message));
  if (told.ok) return { kind: 'agent-told', taskId, message };
  return { kind: 'tell-failed', taskId, window, message, failure: told.failure };
}

async function renameBranch(
  execution: Execution,
  effect: EffectOf<'rename-branch'>,
): Promise<Observation> {
  const { taskId, from, to } = effect;
  const task = execution.findTask(taskId);
  const project = task === null ? null : execution.findProject(task.fields.project);
  if (project === null) {
    return {
      kind: 'rename-failed',
      taskId,
      failure: { kind: 'not-found', what: 'task', name: taskId },
    };
  }
  failpoint('rename.begun');
  const renamed = await execution.repositories.renameBranch({ repository: project.path, from, to });
  if (!renamed.ok) return { kind: 'rename-failed', taskId, failure: renamed.failure };
  failpoint('rename.done');
  return { kind: 'branch-renamed', taskId, to };
}
