import { findCycle, type Blocking } from '../domain/blocking.js';
import { lastAttention } from '../domain/replay-attention.js';
import { describeNeed, type Need } from '../domain/describe-need.js';
import { describeLastTrouble } from '../domain/describe-trouble.js';
import { blockersOf, holdOf, isInBacklog } from '../domain/extensions.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { openQuestions, type Question } from '../domain/section.js';
import { WORKER_WINDOW } from '../domain/session.js';
import { isStatus, isTerminal, type Status } from '../domain/status.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskRecord } from '../domain/task.js';

export type RecordedFacts = {
  readonly task: Pick<TaskRecord, 'fields' | 'extensions'>;
  readonly questions: readonly Question[];
  /** How the worker ended, when it did, and not in good order. */
  readonly crash: string | null;
  /** Whether an agent of the task lives. */
  readonly isActive: boolean;
  readonly events: readonly HistoryEvent[];
  readonly statusOf: (id: string) => Status | undefined;
  /** Whom a pending task waits for. */
  readonly blocking: Blocking;
};

/** Why a task waits, as far as the record alone can say; the daemon says it better. */
export function recordedReasons(facts: RecordedFacts): readonly WaitReason[] {
  const { fields } = facts.task;
  if (fields.status === 'pending') return pendingReasons(facts);
  const needs = [statusNeed(facts), closedNeed(facts)].filter((need) => need !== null);
  return [...needs.map((need) => describeNeed(need, fields)), ...agentReasons(facts)];
}

/** What the last daemon saw of an agent that still lives. How long it has been silent by now nobody knows. */
function agentReasons({
  task: { fields },
  events,
  isActive,
}: RecordedFacts): readonly WaitReason[] {
  const { kind = 'quiet', reason = '', since } = (isActive ? lastAttention(events) : null) ?? {};
  if (kind === 'quiet') return [];
  const seen = kind === 'stalled' ? `${reason} when the daemon last looked` : reason;
  const told = describeNeed({ kind, reason: seen }, fields);
  return [kind === 'stalled' || since === undefined ? told : { ...told, since }];
}

function pendingReasons(facts: RecordedFacts): readonly WaitReason[] {
  const { extensions } = facts.task;
  const hold = holdOf(extensions);
  return [
    ...(hold === null ? [] : [{ code: 'held', message: `held: ${hold}` }]),
    ...(isInBacklog(extensions) ? [{ code: 'backlog', message: 'in the backlog' }] : []),
    ...blockerReasons(facts),
  ];
}

function blockerReasons({ task, statusOf, blocking }: RecordedFacts): readonly WaitReason[] {
  const path = findCycle(blocking, task.fields.id);
  if (path !== null) return [describeNeed({ kind: 'cycle', path }, task.fields)];
  return blockersOf(task.extensions).flatMap((blocker) => {
    const status = statusOf(blocker);
    if (status === 'done') return [];
    if (status !== undefined && status !== 'cancelled') {
      return [{ code: 'blocked', message: `blocked by ${blocker} (${status})` }];
    }
    const isCancelled = status !== undefined;
    return [describeNeed({ kind: 'dead-end', blocker, isCancelled }, task.fields)];
  });
}

function statusNeed({ task, questions, events, crash }: RecordedFacts): Need | null {
  switch (task.fields.status) {
    case 'clarification':
      return { kind: 'question', open: openQuestions(questions), gone: crash };
    case 'reviewing':
      return { kind: 'review', gone: crash };
    case 'stuck': {
      const gone = isCrashTold(events) ? null : crash;
      return { kind: 'stuck', because: describeLastTrouble(events), from: stuckIn(events), gone };
    }
    case 'pending':
    case 'planning':
    case 'working':
    case 'agent-review':
    case 'done':
    case 'cancelled':
      return null;
  }
}

/** The daemon cancels a task whose pull request was closed, unless there is more work here. */
function closedNeed({ task }: RecordedFacts): Need | null {
  const { status, pr_url: url } = task.fields;
  const isClosed = url !== null && task.extensions['pr_state'] === 'closed';
  return isClosed && !isTerminal(status) ? { kind: 'pr-closed-with-commits' } : null;
}

function stuckIn(events: readonly HistoryEvent[]): Status | null {
  const from = events.findLast(({ to }) => to === 'stuck')?.['from'];
  return typeof from === 'string' && isStatus(from) ? from : null;
}

/** Whether the last end of the worker is in the history, and so in the reason why it is stuck. */
function isCrashTold(events: readonly HistoryEvent[]): boolean {
  const last = events.findLast(
    (event) =>
      event['window'] === WORKER_WINDOW &&
      (event.type === 'agent.spawned' || event.type === 'agent.crashed'),
  );
  return last?.type === 'agent.crashed';
}
