import { NOTHING, type Decision } from '../domain/decision.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { Moment, Observation } from '../domain/observation.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { TaskState, Undelivered, World } from '../domain/world.js';
import { backoffMs } from './crash-policy.js';
import { permitRestart } from './restart-policy.js';
import { planStart } from './start-agent.js';
import { decideUpdate } from './update-task.js';
import { settingsFor } from './world-queries.js';

type Seen<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

/** How often a message is tried before it is left to a person. */
const MAX_TRIES = 6;
const SHORTEST_PAUSE_MS = 1000;

/**
 * A worker that is gone is started again with the message. One that only could not be told now is
 * told later, a few times; until it is, a person can see that it was not.
 */
export function settleTellFailed(
  world: World,
  task: TaskState,
  seen: Seen<'tell-failed'>,
  moment: Moment,
): Decision {
  const { message } = seen;
  if (isMinor(task, seen)) return NOTHING;
  if (message.kind === 'text') return giveBack(task, seen);
  const isGone = isAboutGone(seen);
  const isWorking = task.fields.status === 'planning' || task.fields.status === 'working';
  // Once the task has moved on, it does not matter any more.
  if (!isWorking) return NOTHING;
  if (!isGone) return keepForLater(world, task, seen, moment);
  if (task.activity !== null) return NOTHING;
  // If it may not be started now, its end is seen like any other; it gets the message then.
  if (permitRestart(world, task, moment).kind !== 'now') {
    return keepForLater(world, task, seen, moment);
  }
  const order = { role: 'worker', isResuming: true, message } as const;
  const start = planStart(world, task, order, moment);
  if (start === null) return NOTHING;
  return decideUpdate(task, { runtime: start.runtime }, [start.effect]);
}

/** Whoever said it hears that it did not arrive, and says it again if it still matters. */
function giveBack(task: TaskState, seen: Seen<'tell-failed'>): Decision {
  const about = seen.message.kind;
  const decision = decideUpdate(
    task,
    { events: [{ type: 'message.undelivered', window: seen.window, about }] },
    [notice(task)],
  );
  return { ...decision, failure: seen.failure };
}

function keepForLater(
  world: World,
  task: TaskState,
  seen: Seen<'tell-failed'>,
  moment: Moment,
): Decision {
  const { message, window } = seen;
  const { policy } = settingsFor(world, task.fields.project);
  const before = isSame(task.undelivered, message) ? task.undelivered : null;
  const tries = (before?.tries ?? 0) + 1;
  const pauseMs = Math.max(SHORTEST_PAUSE_MS, backoffMs(policy, tries));
  const reason = describeFailure(seen.failure).message;
  const undelivered: Undelivered = {
    message,
    reason,
    since: before?.since ?? moment.timestamp,
    tries,
    retryAtMs: tries < MAX_TRIES ? moment.monotonicMs + pauseMs : null,
  };
  if (before !== null) return decideUpdate(task, { runtime: { undelivered } });
  const event = { type: 'message.undelivered', window, about: message.kind, reason, message };
  return decideUpdate(task, { events: [event], runtime: { undelivered } }, [notice(task)]);
}

/** A message arrived: nobody has to be told any more that it did not. */
export function settleTold(task: TaskState, { message }: Seen<'agent-told'>): Decision | null {
  if (!isSame(task.undelivered, message)) return null;
  const events = [{ type: 'message.delivered', window: WORKER_WINDOW, about: message.kind }];
  return decideUpdate(task, { events, runtime: { undelivered: null } });
}

/** Tells a worker again what it could not be told, once that is due. */
export function tellAgain(task: TaskState, moment: Moment): Decision | null {
  const { undelivered, fields } = task;
  const { id: taskId, tmux_session: session } = fields;
  if (undelivered === null || undelivered.retryAtMs === null) return null;
  if (moment.monotonicMs < undelivered.retryAtMs) return null;
  if (session === null || task.worker.kind !== 'live') return null;
  const { message } = undelivered;
  return decideUpdate(task, { runtime: { undelivered: { ...undelivered, retryAtMs: null } } }, [
    { kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message },
  ]);
}

/** Whether this is the message that is still to be delivered. */
export function isSame(
  undelivered: Undelivered | null,
  message: AgentMessage,
): undelivered is Undelivered {
  return undelivered !== null && JSON.stringify(undelivered.message) === JSON.stringify(message);
}

/** What is lost with nothing if it is not told. */
function isMinor({ undelivered }: TaskState, seen: Seen<'tell-failed'>): boolean {
  const { message } = seen;
  // An agent that does not take the question is found stalled soon enough, and an overlap is shown.
  if (message.kind === 'poll' || message.kind === 'overlap') return true;
  if (message.kind !== 'put-back') return false;
  // A new agent reads TASK.md as it is, and what matters more is not forgotten over this.
  return isAboutGone(seen) || (undelivered !== null && !isSame(undelivered, message));
}

function isAboutGone({ failure }: Seen<'tell-failed'>): boolean {
  return failure.kind === 'agent-not-running' || failure.kind === 'not-found';
}

function notice(task: TaskState): Effect {
  return { kind: 'notify-human', taskId: task.fields.id, cause: 'not-delivered' };
}
