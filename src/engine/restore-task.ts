import { isAboutUnreadHistory, type Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import type { Artifacts } from '../domain/section.js';
import { isTerminal } from '../domain/status.js';
import type { Extensions, TaskFields } from '../domain/task.js';
import { ABSENT, type TaskState } from '../domain/world.js';
import { findClaims } from './find-claims.js';
import { replayHistory } from './replay-history.js';
import { putOwnedRight } from './replay-owned.js';

/**
 * A task as it is known before anything has been seen of its agents. Where the file is not what its
 * history makes it, the edit was made while nobody watched: it is a claim like any other.
 */
export function restoreTask(input: {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly context: string | null;
  readonly artifacts: Artifacts;
  readonly events: readonly HistoryEvent[];
  readonly problems: readonly Diagnostic[];
  readonly now: string;
  readonly isProvisional?: boolean;
  /** Where the task's folder is, whatever its file says. */
  readonly place?: Pick<TaskFields, 'id' | 'project'>;
  /** Whether lines of the history cannot be read. */
  readonly hasGaps?: boolean;
}): TaskState {
  const { fields, extensions, context, artifacts } = input;
  const replay = replayHistory(input.events);
  const known = putOwnedRight(
    { ...fields, ...input.place },
    { events: input.events, hasGaps: input.hasGaps ?? false, now: input.now },
  );
  const { status } = known;
  const claims = findClaims(
    { fields: known, extensions, context },
    { fields, extensions, context },
  );
  return {
    fields: known,
    extensions,
    context,
    artifacts,
    isSettled: false,
    claims,
    isProvisional: input.isProvisional ?? false,
    problems: input.problems,
    worker: ABSENT,
    reviewer: ABSENT,
    handoffStamp: replay.handoffStamp,
    reviewStartedRound: replay.reviewStartedRound,
    cameFrom: replay.cameFrom,
    statusSince: replay.statusSince ?? fields.created_at,
    stuckBecause: status === 'stuck' ? replay.stuckBecause : null,
    attention: replay.attention,
    undelivered: replay.undelivered,
    untoldAnswers: replay.untoldAnswers,
    gates: replay.gates,
    feedback: replay.feedback,
    reservation: replay.reservation,
    reportedAt: null,
    keptEdit: replay.keptEdit,
    keptEditSince: replay.keptEditSince,
    respawnAtMs: null,
    awaitsTurn: false,
    restarts: [],
    startTrouble: null,
    mergeTrouble: null,
    finalized: replay.finalized,
    checkedHandoff: null,
    failedChecks: replay.failedChecks,
    // A worktree that a finished task still holds was being released when the daemon stopped.
    activity: isBeingReleased(known, input.problems) ? 'releasing' : null,
    reservedWorkspace: null,
  };
}

/** Whether a task is over is known only with its history. */
function isBeingReleased(fields: TaskFields, problems: readonly Diagnostic[]): boolean {
  const isOver = isTerminal(fields.status) && !problems.some(isAboutUnreadHistory);
  return isOver && fields.workspace !== null;
}
