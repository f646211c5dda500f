import type { Decision, SectionEdit } from '../domain/decision.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { GateMode } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { EventDraft } from '../domain/history-event.js';
import type { TaskRequest } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { GateName } from '../domain/settings.js';
import type { TaskState, World } from '../domain/world.js';
import { gateMode, hasApprovedPlan, hasCountingPlan } from './gates.js';
import { inTheWay } from './reservations/hold-plan.js';
import { makeMove } from './make-move.js';
import { planMerge, refuseOpenPullRequest } from './merge-task.js';
import type { Asked } from './refuse-action.js';
import { planStart } from './start-agent.js';
import { decideUpdate, refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

type GateRequest = Extract<TaskRequest, { kind: 'task.approve' | 'task.reject' }>;

/** The gate of a task that waits for a person now, or null. */
export function waitingGate(world: World, task: TaskState): GateName | null {
  const settings = settingsFor(world, task.fields.project);
  const isClosed = (gate: GateName): boolean => {
    const mode = gateMode(task, settings, gate);
    return mode === 'human' || mode === 'ai';
  };
  switch (task.fields.status) {
    case 'pending':
      return isClosed('start') && !task.gates.isStartApproved ? 'start' : null;
    case 'planning':
      return isClosed('plan') && hasCountingPlan(task) && !hasApprovedPlan(task) ? 'plan' : null;
    case 'reviewing':
      return isClosed('merge') || task.mergeTrouble !== null ? 'merge' : null;
    case 'clarification':
    case 'working':
    case 'agent-review':
    case 'stuck':
    case 'done':
    case 'cancelled':
      return null;
  }
}

/** A person decides the gate that a task waits at; the decision outlives the daemon. */
export function decideGate(
  world: World,
  task: TaskState,
  request: GateRequest,
  asked: Asked,
): Decision {
  const gate = waitingGate(world, task);
  const refusal = refuseDecision(task, request, gate, asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const order = { world, task, text: request.text, asked };
  const isApproved = request.kind === 'task.approve';
  if (gate === 'start') return isApproved ? approveStart(order) : rejectStart(order);
  if (gate === 'plan') return isApproved ? approvePlan(order) : rejectPlan(order);
  return isApproved ? approveMerge(order) : rejectMerge(order);
}

/** The event that keeps a person's decision about a gate. */
export function gateEvent(
  world: World,
  task: TaskState,
  about: {
    readonly gate: GateName;
    readonly decision: 'approved' | 'rejected';
    readonly by: string;
    readonly rationale: string;
  },
): EventDraft {
  const { gate, decision, by, rationale } = about;
  const mode: GateMode = gateMode(task, settingsFor(world, task.fields.project), gate);
  return { type: 'gate.decided', gate, mode, decision, by, rationale };
}

/** The hold of a task whose start was rejected. */
const REJECTED = 'start rejected';

type Order = {
  readonly world: World;
  readonly task: TaskState;
  readonly text: string;
  readonly asked: Asked;
};

function refuseDecision(
  task: TaskState,
  request: GateRequest,
  gate: GateName | null,
  { actor }: Asked,
): Failure | null {
  const { id: taskId, status } = task.fields;
  const action = request.kind === 'task.approve' ? 'approve' : 'reject';
  if (actor === 'agent') return { kind: 'not-for-agents', action };
  if (task.activity !== null) return { kind: 'agent-busy', taskId, doing: task.activity };
  const { seen = status } = request;
  if (gate !== null && seen !== status) return { kind: 'moved-on', action, seen, status };
  if (gate !== null && (request.gate === null || request.gate === gate)) return null;
  return { kind: 'no-gate-waiting', action, wanted: request.gate, waiting: gate, status };
}

function decided(
  { world, task, text, asked }: Order,
  gate: GateName,
  decision: 'approved' | 'rejected',
): EventDraft {
  return gateEvent(world, task, { gate, decision, by: asked.actor, rationale: text });
}

/** The task starts as soon as a worktree is free, now or later. */
function approveStart(order: Order): Decision {
  const { task } = order;
  const hold = task.extensions['hold'];
  const isRejected = typeof hold === 'string' && hold.startsWith(REJECTED);
  return decideUpdate(task, {
    extensions: isRejected ? { hold: null } : {},
    events: [decided(order, 'start', 'approved')],
    runtime: { gates: { ...task.gates, isStartApproved: true }, startTrouble: null },
  });
}

function rejectStart(order: Order): Decision {
  const { task, text } = order;
  const reason = text.replace(/\s+/g, ' ').trim().slice(0, 200);
  return decideUpdate(task, {
    extensions: { hold: `${REJECTED}: ${reason}` },
    events: [decided(order, 'start', 'rejected')],
  });
}

function approvePlan(order: Order): Decision {
  const { world, task, text, asked } = order;
  if (inTheWay(world, task).length > 0) return approveForLater(order);
  const message = { kind: 'plan-approved', text } as const;
  const before = [decided(order, 'plan', 'approved')];
  const move = { to: 'working', actor: asked.actor, reason: '', before, message } as const;
  return makeMove(world, task, move, asked.moment);
}

/** The Plan goes on by itself once others no longer hold the files it names. */
function approveForLater(order: Order): Decision {
  const { task } = order;
  const { planDigest: approvedPlan } = task.artifacts;
  const event = { ...decided(order, 'plan', 'approved'), plan_stamp: approvedPlan };
  const gates = { ...task.gates, approvedPlan, planWaitsSince: null };
  return decideUpdate(task, { events: [event], runtime: { gates } });
}

/** The Plan does not count until it changes; why stands in TASK.md, and the worker is told. */
function rejectPlan(order: Order): Decision {
  const { task, text } = order;
  const { planDigest } = task.artifacts;
  const sections: readonly SectionEdit[] = [
    { kind: 'append', section: 'Decision', label: '', text: `Plan rejected: ${text}` },
  ];
  const event = { ...decided(order, 'plan', 'rejected'), plan_stamp: planDigest };
  const telling = tellWorker(order, { kind: 'plan-rejected', text });
  const gates = { ...task.gates, rejectedPlan: planDigest, planWaitsSince: null };
  const parts = { sections, events: [event], runtime: { ...telling.runtime, gates } };
  return decideUpdate(task, parts, telling.effects);
}

function tellWorker({ world, task, asked }: Order, message: AgentMessage) {
  const { id: taskId, tmux_session: session } = task.fields;
  if (task.worker.kind === 'live' && session !== null) {
    const effect: Effect = { kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message };
    return { effects: [effect], runtime: {} };
  }
  const order = { role: 'worker', isResuming: true, message } as const;
  const start = planStart(world, task, order, asked.moment);
  if (start === null) return { effects: [], runtime: {} };
  return { effects: [start.effect], runtime: start.runtime };
}

function approveMerge(order: Order): Decision {
  const { world, task, asked } = order;
  const refusal = refuseOpenPullRequest(task);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const events = [decided(order, 'merge', 'approved')];
  return decideUpdate(task, { events, runtime: { activity: 'merging', mergeTrouble: null } }, [
    planMerge(world, task, asked.actor),
  ]);
}

function rejectMerge(order: Order): Decision {
  const { world, task, text, asked } = order;
  const move = {
    to: 'working',
    actor: asked.actor,
    reason: '',
    before: [decided(order, 'merge', 'rejected')],
    sections: [{ kind: 'set', section: 'Review', text: `Verdict: FAIL\n\n${text}\n` }],
    message: { kind: 'changes-requested', text },
  } as const;
  return makeMove(world, task, move, asked.moment);
}
