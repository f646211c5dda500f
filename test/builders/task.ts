import { NO_ARTIFACTS, type Artifacts } from '../../src/domain/section.js';
import { NO_RESERVATION } from '../../src/domain/lock.js';
import { isTerminal, type Status } from '../../src/domain/status.js';
import type { TaskFields } from '../../src/domain/task.js';
import {
  ABSENT,
  NO_FEEDBACK,
  NO_GATES,
  type AgentState,
  type TaskState,
} from '../../src/domain/world.js';

export const TASK_ID = 'V1StGXR8Z5jdHi6BmyT0a';

/** What is told of a task; whatever a test does not name is ordinary. */
export type TaskParts = Partial<Omit<TaskState, 'fields' | 'artifacts'>> & {
  readonly fields?: Partial<TaskFields>;
  readonly artifacts?: Partial<Artifacts>;
};

export function buildFields(overrides: Partial<TaskFields> = {}): TaskFields {
  return {
    id: TASK_ID,
    project: 'shop',
    branch: 'dark-mode',
    harness: 'claude',
    review_harness: 'claude',
    status: 'pending',
    review_round: 0,
    crash_count: 0,
    summary: 'Add a dark theme',
    workspace: null,
    tmux_session: null,
    pr_url: null,
    created_at: '2026-01-01T09:00:00.000Z',
    updated_at: '2026-01-01T09:00:00.000Z',
    ...overrides,
  };
}

/** A task that waits, with no worktree and no agent. */
export function buildTask(parts: TaskParts = {}): TaskState {
  const { fields, artifacts, ...rest } = parts;
  const built = buildFields(fields);
  return {
    fields: built,
    extensions: {},
    context: null,
    artifacts: { ...NO_ARTIFACTS, ...artifacts },
    isSettled: true,
    claims: null,
    isProvisional: false,
    problems: [],
    worker: ABSENT,
    reviewer: ABSENT,
    handoffStamp: null,
    reviewStartedRound: 0,
    cameFrom: null,
    statusSince: built.created_at,
    stuckBecause: null,
    attention: null,
    reportedAt: null,
    keptEdit: null,
    keptEditSince: null,
    respawnAtMs: null,
    awaitsTurn: false,
    restarts: [],
    gates: NO_GATES,
    feedback: NO_FEEDBACK,
    reservation: NO_RESERVATION,
    undelivered: null,
    startTrouble: null,
    mergeTrouble: null,
    finalized: null,
    checkedHandoff: null,
    failedChecks: 0,
    activity: null,
    reservedWorkspace: null,
    ...rest,
  };
}

/** A task in a status as it normally stands there: bound and with the agents that status has. */
export function buildTaskIn(status: Status, parts: TaskParts = {}): TaskState {
  const isBound = status !== 'pending' && !isTerminal(status);
  const isReviewed = status === 'agent-review' || status === 'reviewing';
  const round = isReviewed ? 1 : 0;
  return buildTask({
    worker: isBound ? liveAgent('worker') : ABSENT,
    reviewer: status === 'agent-review' ? liveAgent(`review-${round}`) : ABSENT,
    reviewStartedRound: round,
    ...parts,
    fields: {
      status,
      review_round: round,
      workspace: isBound ? 'shop--1' : null,
      tmux_session: isBound ? 'shop/dark-mode' : null,
      ...parts.fields,
    },
  });
}

export function liveAgent(window: string, launchId = `${window}-1`): AgentState {
  return { kind: 'live', launchId, window };
}

export function endedAgent(
  window: string,
  parts: Partial<Extract<AgentState, { kind: 'ended' }>> = {},
): Extract<AgentState, { kind: 'ended' }> {
  return {
    kind: 'ended',
    launchId: `${window}-1`,
    window,
    exit: { status: 1, signal: null, hasScreen: false },
    isNoted: false,
    ...parts,
  };
}

export const PLAN: Partial<Artifacts> = { hasValidPlan: true };
export const HANDOFF: Partial<Artifacts> = { hasValidHandoff: true, handoffDigest: 'handoff-1' };

export function verdict(word: 'PASS' | 'FAIL', digest = `review-${word}`): Partial<Artifacts> {
  return { verdict: word, reviewDigest: digest };
}
