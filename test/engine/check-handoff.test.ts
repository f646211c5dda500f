import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../src/domain/check-run.js';
import type { Observation } from '../../src/domain/observation.js';
import type { Actor } from '../../src/domain/request.js';
import { decide } from '../../src/engine/decide.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, HANDOFF, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

const CHECKS = { handoff: ['npm test'], merge: null, timeoutMinutes: 15 };
const settings = buildSettings({ policy: { checks: CHECKS } });
const PASSED: CheckRun = {
  command: 'npm test',
  result: 'passed',
  exitStatus: 0,
  durationMs: 7,
  tail: '',
};
const FAILED: CheckRun = { ...PASSED, result: 'failed', exitStatus: 1, tail: '1 failed' };

function see(observation: Observation, parts: TaskParts = {}, checks = settings) {
  const task = buildTaskIn('working', { artifacts: HANDOFF, ...parts });
  return decide(buildWorld({ tasks: [task], settings: checks }), observation, momentAt());
}

function checked(run: CheckRun): Observation {
  const about = { kind: 'checked', taskId: TASK_ID, askedBy: 'daemon' } as const;
  return { ...about, handoff: 'handoff-1', checks: [run], log: '/log' };
}

function asksForReview(actor: Actor): Observation {
  const request = { kind: 'task.update', taskId: TASK_ID, status: 'agent-review' } as const;
  return { kind: 'request', request, actor, newId: 'unused' };
}

const look: Observation = { kind: 'reconsider', taskId: TASK_ID };
const checking: TaskParts = { activity: 'checking' };

describe('the checks of a Handoff', () => {
  it('are run before the work is handed over, by itself or on request of the agent', () => {
    for (const seen of [look, asksForReview('agent')]) {
      const decision = see(seen);
      expect(decision.effects).toMatchObject([{ kind: 'run-checks', handoff: 'handoff-1' }]);
      expect(updateOf(decision)).toMatchObject({ fields: {}, runtime: { activity: 'checking' } });
    }
  });

  it('are not asked for where there are none, or where a person asks', () => {
    expect(updateOf(see(look, {}, buildSettings())).fields.status).toBe('agent-review');
    expect(updateOf(see(asksForReview('human'))).fields.status).toBe('agent-review');
  });

  it('that are stopped for a cancellation count for nothing, and are not begun once more', () => {
    const stopped = see(checked({ ...PASSED, result: 'stopped', exitStatus: null }), checking);
    expect(stopped.effects).toEqual([]);
    expect(updateOf(stopped)).toMatchObject({
      fields: {},
      events: [],
      runtime: { activity: null, handoffStamp: 'handoff-1' },
    });
    expect(see(look, { handoffStamp: 'handoff-1' }).effects).toEqual([]);
  });

  it('that pass hand the work over, with the runs in the history', () => {
    expect(updateOf(see(checked(PASSED), checking))).toMatchObject({
      fields: { status: 'agent-review' },
      events: [
        { type: 'check.ran', stage: 'handoff', command: 'npm test', result: 'passed' },
        { type: 'auto.advanced', to: 'agent-review' },
      ],
    });
  });

  it('that fail leave the task at work, and the worker is told', () => {
    const decision = see(checked(FAILED), checking);
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      events: [{ type: 'check.ran', result: 'failed', handoff_stamp: 'handoff-1' }],
      runtime: { activity: null, handoffStamp: 'handoff-1', failedChecks: 1 },
    });
    expect(decision.effects).toMatchObject([
      { kind: 'tell-agent', message: { kind: 'checks-failed', command: 'npm test', log: '/log' } },
    ]);
    expect(decision.failure).toMatchObject({ kind: 'checks-failed', stage: 'handoff' });
  });

  it('start a worker again that has ended, with the words', () => {
    const exit = { status: 0, signal: null, hasScreen: false };
    const worker = {
      kind: 'ended',
      launchId: 'l1',
      window: 'worker',
      exit,
      isNoted: false,
    } as const;
    expect(see(checked(FAILED), { ...checking, worker }).effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', message: { kind: 'checks-failed' } },
    ]);
  });

  it('that fail for the third time leave the task to a person', () => {
    const decision = see(checked(FAILED), { ...checking, failedChecks: 2 });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'stuck' },
      runtime: {
        stuckBecause: 'the check "npm test" kept failing (its output: test-results/handoff.log)',
      },
    });
  });

  it('that failed are known after a restart: the same Handoff does not count again', () => {
    const at = '2026-01-01T09:00:00.000Z';
    const events = [
      { type: 'auto.advanced', from: 'planning', to: 'working', timestamp: at },
      { type: 'check.ran', result: 'failed', handoff_stamp: 'handoff-1', timestamp: at },
    ];
    expect(replayHistory(events)).toMatchObject({ handoffStamp: 'handoff-1', failedChecks: 1 });
  });
});

describe('task finalize', () => {
  const finalization = {
    ready: false,
    risk: 'Low',
    action: 'resolve-conflicts',
    files: 1,
    lines: 2,
    conflicts: 1,
    conflicting: ['src/a.ts'],
    behind: 0,
    head: 'c0ffee',
  } as const;

  it('is for people, while the work waits for them', () => {
    const request = { kind: 'task.finalize', taskId: TASK_ID } as const;
    const seen = { kind: 'request', request, actor: 'human', newId: 'unused' } as const;
    const world = buildWorld({ tasks: [buildTaskIn('reviewing')] });
    expect(decide(world, seen, momentAt()).effects).toMatchObject([{ kind: 'finalize' }]);
    expect(see(seen).failure).toMatchObject({ kind: 'wrong-status' });
  });

  it('leaves what it found in the history, where it is found again until the task moves', () => {
    const task = buildTaskIn('reviewing', { activity: 'finalizing' });
    const seen = { kind: 'finalized', taskId: TASK_ID, finalization, checks: [PASSED] } as const;
    const update = updateOf(decide(buildWorld({ tasks: [task] }), seen, momentAt()));
    expect(update).toMatchObject({ runtime: { activity: null, finalized: finalization } });
    expect(update.events.map(({ type }) => type)).toEqual(['check.ran', 'task.finalized']);
    const timestamp = '2026-01-01T09:00:00.000Z';
    const events = update.events.map((event) => ({ ...event, timestamp }));
    expect(replayHistory(events).finalized).toEqual(finalization);
    const move = { type: 'status.changed', from: 'reviewing', to: 'working', timestamp };
    expect(replayHistory([...events, move]).finalized).toBeNull();
  });
});
