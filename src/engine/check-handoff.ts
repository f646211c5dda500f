import type { CheckRun } from '../domain/check-run.js';
import { NOTHING, type Decision } from '../domain/decision.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { Moment, Observation } from '../domain/observation.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { TaskState, World } from '../domain/world.js';
import { checkEvents } from './check-events.js';
import { handOver } from './hand-over.js';
import { makeMove } from './make-move.js';
import { planStart } from './start-agent.js';
import { decideUpdate } from './update-task.js';

type Checked = Extract<Observation, { kind: 'checked' }>;

/** How often a worker gets its Handoff back before a person has to look. */
const MAX_FAILURES = 3;
const LONGEST_TAIL = 1500;

/** Work that passed its checks is handed over; other work goes back to its worker, a few times. */
export function settleChecked(
  world: World,
  task: TaskState,
  seen: Checked,
  moment: Moment,
): Decision {
  if (task.activity !== 'checking') return NOTHING;
  const idle: TaskState = { ...task, activity: null };
  if (task.fields.status !== 'working') {
    return decideUpdate(idle, { runtime: { activity: null } });
  }
  if (seen.checks.some(({ result }) => result === 'stopped')) {
    // It is to be cancelled: this Handoff is not checked once more before that.
    return decideUpdate(idle, { runtime: { activity: null, handoffStamp: seen.handoff } });
  }
  const failed = seen.checks.find(({ result }) => result !== 'passed');
  if (failed !== undefined) return rejectHandoff(world, idle, { seen, failed }, moment);
  const order = {
    actor: seen.askedBy,
    reason: '## Handoff found',
    before: checkEvents('handoff', seen.checks),
  };
  const checkedHandoff = seen.handoff;
  const decision = handOver(world, { ...idle, checkedHandoff }, order, moment);
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? { ...change, runtime: { activity: null, checkedHandoff, ...change.runtime } }
        : change,
    ),
  };
}

function rejectHandoff(
  world: World,
  task: TaskState,
  { seen, failed }: { readonly seen: Checked; readonly failed: CheckRun },
  moment: Moment,
): Decision {
  const { handoff, log } = seen;
  const failedChecks = task.failedChecks + 1;
  const ran = checkEvents('handoff', seen.checks);
  const events = ran.map((event, index) =>
    index === ran.length - 1 ? { ...event, handoff_stamp: handoff } : event,
  );
  const failure = { kind: 'checks-failed', stage: 'handoff', check: failed, log } as const;
  if (failedChecks >= MAX_FAILURES) {
    const order = {
      to: 'stuck',
      actor: 'daemon',
      reason: 'checks failed',
      before: events,
    } as const;
    const decision = makeMove(world, task, order, moment);
    return { ...withRuntime(decision, { activity: null, handoffStamp: handoff }), failure };
  }
  const tail = failed.tail.slice(-LONGEST_TAIL);
  const message = { kind: 'checks-failed', command: failed.command, tail, log } as const;
  const telling = tellWorker(world, task, message, moment);
  const runtime = { activity: null, handoffStamp: handoff, failedChecks, ...telling.runtime };
  return { ...decideUpdate(task, { events, runtime }, telling.effects), failure };
}

/** A worker that has ended is started again with the words. */
function tellWorker(
  world: World,
  task: TaskState,
  message: AgentMessage,
  moment: Moment,
): { readonly effects: readonly Effect[]; readonly runtime: Partial<TaskState> } {
  const { id: taskId, tmux_session: session } = task.fields;
  if (task.worker.kind === 'live' && session !== null) {
    const effect: Effect = { kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message };
    return { effects: [effect], runtime: {} };
  }
  const start = planStart(world, task, { role: 'worker', isResuming: true, message }, moment);
  if (start === null) return { effects: [], runtime: {} };
  return { effects: [start.effect], runtime: start.runtime };
}

function withRuntime(decision: Decision, runtime: Partial<TaskState>): Decision {
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? { ...change, runtime: { ...change.runtime, ...runtime } }
        : change,
    ),
  };
}
