import { describeNeed, needFor, type Need } from '../domain/describe-need.js';
import type { Moment } from '../domain/observation.js';
import { openQuestions, type OpenQuestion } from '../domain/section.js';
import { describeExit } from '../domain/session.js';
import { isTerminal } from '../domain/status.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { explainRestart, staysDown } from './explain-restart.js';
import { explainReservation } from './reservations/explain-reservation.js';
import { explainWait } from './schedule.js';
import { currentAttention } from './stall-policy.js';
import { surveyQueue, type QueueOutlook } from './queue-outlook.js';

/** A need that was found, and since when, where that is not the change of status. */
type Found = { readonly need: Need; readonly since?: string };

/**
 * What makes a task wait for a person, one row per reason. Whatever a row finds is in every view's
 * reasons and in the inbox; its words and its command are in `describe-need`.
 */
const ROWS: readonly ((task: TaskState) => Found | null)[] = [
  (task) => when(isIn(task, 'clarification'), question(task)),
  (task) => when(isIn(task, 'stuck'), stuck(task)),
  (task) => when(isIn(task, 'reviewing') && task.mergeTrouble === null, review(task)),
  (task) => when(isIn(task, 'reviewing') && task.mergeTrouble !== null, mergeFailed(task)),
  (task) => when(isClosedElsewhere(task), { kind: 'pr-closed-with-commits' }),
  (task) => feedback(task),
  (task) => planGate(task),
  (task) => attention(task),
  (task) => untold(task),
  (task) => startFailed(task),
  (task) => when(task.keptEdit !== null, editKept(task), task.keptEditSince ?? undefined),
  (task) => brokenTask(task),
];

/** Why a task does not go on by itself; reasons with a `settle` wait for a person. */
export function explainTask(
  world: World,
  task: TaskState,
  moment: Moment,
  outlook: QueueOutlook = surveyQueue(world),
): readonly WaitReason[] {
  if (isTerminal(task.fields.status)) return [];
  const found = ROWS.flatMap((row) => row(task) ?? []);
  const needs = found.map(({ need, since }) => describeNeed(need, task.fields, since));
  if (!isIn(task, 'pending')) {
    const restart = isInWork(task) ? explainRestart(task, moment) : [];
    return [...needs, ...restart, ...explainReservation(world, task)];
  }
  const waits = [...explainWait(world, task, moment, outlook), ...triedAgain(needs)];
  return waits.some(({ code }) => PUT_OFF.has(code)) ? waits.map(withoutSettle) : waits;
}

/** The trouble of the last try stands until the next one has ended well. */
function triedAgain(needs: readonly WaitReason[]): readonly WaitReason[] {
  return needs.filter(({ code }) => code === 'start-failed');
}

/** What somebody has put off on purpose waits for nobody, whatever else it lacks. */
const PUT_OFF: ReadonlySet<string> = new Set(['held', 'backlog', 'assigned']);

function withoutSettle(reason: WaitReason): WaitReason {
  const { settle: _, ...rest } = reason;
  return reason.code === 'unreadable' ? reason : rest;
}

/** What a waiting task asks; nothing in any other status. */
export function questionsOf(task: TaskState): readonly OpenQuestion[] {
  return isIn(task, 'clarification') ? openQuestions(task.artifacts.questions) : [];
}

function when(holds: boolean, need: Need, since?: string): Found | null {
  if (!holds) return null;
  return since === undefined ? { need } : { need, since };
}

function isIn(task: TaskState, status: TaskState['fields']['status']): boolean {
  return task.fields.status === status;
}

function isInWork(task: TaskState): boolean {
  return isIn(task, 'planning') || isIn(task, 'working') || isIn(task, 'agent-review');
}

/** Closed with nothing left here, it would be cancelled by now. */
function isClosedElsewhere({ fields, extensions }: TaskState): boolean {
  return fields.pr_url !== null && extensions['pr_state'] === 'closed';
}

/**
 * How the agent of a task that waits has ended. One that said goodbye in good order is not missed
 * while a person looks at its work, and an end that made a task stuck is told as the reason for that.
 */
function lossOf({ worker, stuckBecause, statusSince }: TaskState): string | null {
  if (worker.kind !== 'ended' || worker.exit.status === 0) return null;
  if (worker.startFailure !== undefined) return null;
  const { endedAt } = worker.exit;
  const isTold = stuckBecause !== null && endedAt !== undefined && endedAt <= statusSince;
  return isTold ? null : describeExit(worker.exit);
}

function question(task: TaskState): Need {
  return { kind: 'question', open: questionsOf(task), gone: lossOf(task) };
}

function review(task: TaskState): Need {
  return { kind: 'review', gone: lossOf(task) };
}

function stuck(task: TaskState): Need {
  const { stuckBecause: because, cameFrom: from } = task;
  return { kind: 'stuck', because, from, gone: lossOf(task) };
}

/** A quiet agent is shown; only one that is stalled or waits needs a person. */
function attention(task: TaskState): Found | null {
  const { kind = 'quiet', reason = '', since } = currentAttention(task) ?? {};
  return kind === 'quiet' ? null : when(true, { kind, reason }, since);
}

function planGate(task: TaskState): Found | null {
  const { planWaitsSince } = task.gates;
  const waits = isIn(task, 'planning') && planWaitsSince !== null;
  return waits ? { need: { kind: 'plan-gate' }, since: planWaitsSince } : null;
}

function feedback({ feedback: { waiting, since } }: TaskState): Found | null {
  if (waiting.length === 0 || since === null) return null;
  return { need: { kind: 'pr-feedback', count: waiting.length }, since };
}

function untold({ undelivered }: TaskState): Found | null {
  if (undelivered === null) return null;
  const { message, reason, since } = undelivered;
  return when(true, { kind: 'undelivered', about: message.kind, reason }, since);
}

function mergeFailed(task: TaskState): Need {
  return { kind: 'merge-failed', reason: task.mergeTrouble ?? '', gone: lossOf(task) };
}

/** What is tried again is told by that; a pending task between two tries by its place in the queue. */
function startFailed(task: TaskState): Found | null {
  const { startTrouble: trouble } = task;
  if (trouble === null || (isIn(task, 'pending') && task.activity === null)) return null;
  const { reason, since } = trouble;
  return when(!staysDown(task), { kind: 'start-failed', reason }, since);
}

function editKept(task: TaskState): Need {
  return { kind: 'edit-kept', transcript: task.keptEdit ?? '' };
}

function brokenTask(task: TaskState): Found | null {
  const [problem] = task.problems;
  if (problem === undefined) return null;
  return when(!isIn(task, 'pending'), needFor(problem), task.unreadableSince);
}
