import type { Decision } from '../domain/decision.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment, PullRequestSeen } from '../domain/observation.js';
import type { Remark } from '../domain/pull-request.js';
import { quoteRemarks } from '../domain/quote-remarks.js';
import type { TaskRequest } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { FeedbackFacts, TaskState, World } from '../domain/world.js';
import { refuseMissingHarness } from './edit-task.js';
import { makeMove } from './make-move.js';
import { refusePublishing, refuseWithoutPullRequest } from './pull-request-task.js';
import type { Asked } from './refuse-action.js';
import { settleRemarks } from './replay-feedback.js';
import { decideUpdate, refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

/** `pr feedback --send` asks GitHub once more and passes on what is new; `--dismiss` puts it away. */
export function answerFeedback(
  task: TaskState,
  { decision }: Extract<TaskRequest, { kind: 'task.pr-feedback' }>,
  asked: Asked,
): Decision {
  const taskId = task.fields.id;
  const refusal =
    refusePublishing(task, 'pass on feedback to', asked) ?? refuseWithoutPullRequest(task);
  if (refusal !== null) return refuse(refusal, taskId);
  if (decision === 'send') {
    const purpose = 'send-feedback';
    const effect: Effect = { kind: 'view-pull-request', taskId, askedBy: asked.actor, purpose };
    return { changes: [], effects: [effect], failure: null, taskId };
  }
  const { waiting } = task.feedback;
  if (waiting.length === 0) return refuse({ kind: 'no-feedback' }, taskId);
  const event = feedbackEvent(task, 'put-away', waiting);
  const feedback = settleRemarks(task.feedback, waiting);
  return decideUpdate(task, { events: [event], runtime: { feedback } });
}

/** What new remarks lead to: the worker is told, a person is, or nobody. Null: nothing is new. */
export function heedRemarks(
  world: World,
  task: TaskState,
  seen: PullRequestSeen,
  moment: Moment,
): Decision | null {
  const fresh = seen.pullRequest.remarks.filter(({ key }) => !task.feedback.settled.includes(key));
  if (seen.purpose === 'send-feedback') {
    const refusal: Failure | null =
      fresh.length === 0 ? { kind: 'no-feedback' } : refuseTelling(world, task);
    if (refusal !== null) return refuse(refusal, task.fields.id);
    return passOn(world, task, { remarks: fresh, seen }, moment);
  }
  const mode = settingsFor(world, task.fields.project).pr.feedback;
  if (mode === 'off') return null;
  // Strangers' words go to an agent only when a person has looked at them.
  const own = mode === 'auto' ? fresh.filter(({ isTrusted }) => isTrusted) : [];
  if (own.length > 0 && refuseTelling(world, task) === null) {
    return passOn(world, task, { remarks: own, seen }, moment);
  }
  return offer(task, fresh, moment);
}

/** Puts remarks into the inbox, once per set; takes them out when they are over. */
function offer(task: TaskState, fresh: readonly Remark[], moment: Moment): Decision | null {
  const { feedback } = task;
  const keys = fresh.map(({ key }) => key);
  if (JSON.stringify(keys) === JSON.stringify(feedback.waiting)) return null;
  const isNews = keys.some((key) => !feedback.waiting.includes(key));
  if (keys.length === 0) {
    const over: FeedbackFacts = { ...feedback, waiting: [], since: null };
    const events = [feedbackEvent(task, 'over', [])];
    return decideUpdate(task, { events, runtime: { feedback: over } });
  }
  const waits: FeedbackFacts = { ...feedback, waiting: keys, since: moment.timestamp };
  return decideUpdate(
    task,
    { events: [feedbackEvent(task, 'waiting', keys)], runtime: { feedback: waits } },
    isNews ? [{ kind: 'notify-human', taskId: task.fields.id, cause: 'pr-feedback' }] : [],
  );
}

/** Why the worker cannot be told now. */
function refuseTelling(world: World, task: TaskState): Failure | null {
  const { status, id: taskId, tmux_session: session } = task.fields;
  if (status === 'reviewing' || status === 'stuck') {
    return refuseMissingHarness(world, task, 'working');
  }
  if (status !== 'working' && status !== 'planning') {
    const allowed = ['planning', 'working', 'reviewing', 'stuck'] as const;
    return { kind: 'wrong-status', action: 'pass on feedback to', status, allowed };
  }
  const isLive = session !== null && task.worker.kind === 'live';
  return isLive ? null : { kind: 'agent-not-running', taskId, window: WORKER_WINDOW };
}

/** Work that waited for a person goes back; a worker that is at it hears of it where it is. */
function passOn(
  world: World,
  task: TaskState,
  { remarks, seen }: { readonly remarks: readonly Remark[]; readonly seen: PullRequestSeen },
  moment: Moment,
): Decision {
  const { id: taskId, status, tmux_session: session } = task.fields;
  const text = quoteRemarks(remarks);
  const message: AgentMessage = { kind: 'pr-feedback', url: seen.pullRequest.url, text };
  const keys = remarks.map(({ key }) => key);
  const event = feedbackEvent(task, 'sent', keys);
  const feedback = settleRemarks(task.feedback, keys);
  if (status !== 'reviewing' && status !== 'stuck') {
    const effects: readonly Effect[] =
      session === null
        ? []
        : [{ kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message }];
    return decideUpdate(task, { events: [event], runtime: { feedback } }, effects);
  }
  const whole = quoteRemarks(remarks, LONGEST_REVIEW);
  const review = `Verdict: FAIL\n\nSaid on ${seen.pullRequest.url}:\n\n${whole}\n`;
  const decision = makeMove(
    world,
    task,
    {
      to: 'working',
      actor: seen.askedBy,
      reason: 'feedback on its pull request',
      before: [event],
      sections: [{ kind: 'set', section: 'Review', text: review }],
      message,
    },
    moment,
  );
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? { ...change, runtime: { ...change.runtime, feedback } }
        : change,
    ),
  };
}

const LONGEST_REVIEW = 40_000;

function feedbackEvent(
  { fields }: TaskState,
  decision: 'waiting' | 'sent' | 'put-away' | 'over',
  remarks: readonly string[],
): EventDraft {
  return { type: 'pr.feedback', url: fields.pr_url, decision, remarks };
}
