import { describe, expect, it } from 'vitest';
import { NOTHING } from '../../src/domain/decision.js';
import type { Failure } from '../../src/domain/failure.js';
import type { Observation } from '../../src/domain/observation.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt, type WorldParts } from '../builders/world.js';

const BROKEN: Failure = { kind: 'internal', message: 'broken' };
const NO_FILES: Failure = { kind: 'io-failed', path: 'git', operation: 'run', code: 'EMFILE' };
const UNDER_WAY: TaskParts = {
  activity: 'starting',
  worker: { kind: 'starting', launchId: 'launch-1', window: 'worker' },
  reservedWorkspace: 'shop--1',
};

function see(task: TaskState, observation: Observation, given: WorldParts = {}) {
  return decide(buildWorld({ ...given, tasks: [task] }), observation, momentAt());
}

const startFailed = () =>
  ({
    kind: 'start-failed',
    taskId: TASK_ID,
    role: 'worker',
    launchId: 'launch-1',
    failure: BROKEN,
    reason: 'broken',
  }) as const;

describe('a start that failed', () => {
  it('F41 because somebody works in the worktree leaves it to them: the next try takes another', () => {
    const failure = { kind: 'worktree-occupied', worktree: 'w', pid: 7, command: 'sh' } as const;
    const decision = see(buildTask(UNDER_WAY), { ...startFailed(), failure });
    const workspace = UNDER_WAY.reservedWorkspace;
    const aside = { workspace, reason: 'broken', isHindered: false };
    expect(decision.changes).toContainEqual({ kind: 'quarantine', ...aside });
  });

  it.each([
    ['in a pending task sets it aside', buildTask(UNDER_WAY), ['quarantine']],
    ['in a task that has its worktree leaves it there', buildTaskIn('working', UNDER_WAY), []],
  ] as const)('and left its worktree untidy %s', (_what, task, kinds) => {
    const untidy = {
      kind: 'worktree-unusable',
      workspace: 'w',
      reason: 'it is not clean',
    } as const;
    const decision = see(task, { ...startFailed(), untidy });
    const aside = decision.changes.filter(({ kind }) => kind === 'quarantine');
    expect(aside.map(({ kind }) => kind)).toEqual(kinds);
    if (kinds.length > 0) {
      const reason = expect.stringContaining('it is not clean');
      expect(aside).toMatchObject([{ reason, isHindered: false }]);
    }
  });

  it('F17 and left its worktree untidy for want of descriptors says that the machine stood in the way', () => {
    const decision = see(buildTask(UNDER_WAY), { ...startFailed(), untidy: NO_FILES });
    expect(decision.changes).toContainEqual(
      expect.objectContaining({ kind: 'quarantine', isHindered: true }),
    );
  });

  it.each([
    ['one that is set aside', '/home/workspaces/shop--2', 'shop--2'],
    ['one of somebody else', '/home/pat/shop--3', null],
  ])('because %s has its branch remembers which', (_what, where, heldBy) => {
    const failure = { kind: 'branch-in-use', branch: 'dark-mode', where } as const;
    const seen = { ...startFailed(), failure };
    const change = updateOf(see(buildTask(UNDER_WAY), seen, { quarantined: ['shop--2'] }));
    expect(change.runtime.startTrouble).toMatchObject({ heldBy });
  });
});

describe('a worktree that was freed', () => {
  const freed = {
    kind: 'workspace-released',
    taskId: TASK_ID,
    workspace: 'shop--1',
    salvageRefs: ['refs/orange/salvage/x/1'],
  } as const;
  const failed = {
    kind: 'release-failed',
    taskId: TASK_ID,
    workspace: 'shop--1',
    failure: BROKEN,
    reason: 'broken',
  } as const;
  const leaving = buildTaskIn('cancelled', {
    activity: 'releasing',
    fields: { workspace: 'shop--1', tmux_session: 'shop/dark-mode' },
  });

  it('is let go by the record, and what was salvaged is told', () => {
    expect(updateOf(see(leaving, freed))).toMatchObject({
      fields: { workspace: null, tmux_session: null },
      events: [{ type: 'workspace.salvaged', workspace: 'shop--1', ref: freed.salvageRefs[0] }],
      runtime: { activity: null, reservedWorkspace: null },
    });
  });

  it('but could not be cleaned is handed to nobody', () => {
    const decision = see(leaving, failed);
    expect(decision.changes).toMatchObject([
      {
        fields: { workspace: null, tmux_session: null },
        events: [{ type: 'workspace.quarantined', workspace: 'shop--1', reason: 'broken' }],
        runtime: { activity: null },
      },
      { kind: 'quarantine', workspace: 'shop--1' },
    ]);
    expect(decision.failure).toBeNull();
  });

  it('F17 but could not be cleaned for want of descriptors says that the machine stood in the way', () => {
    const { changes } = see(leaving, { ...failed, failure: NO_FILES });
    expect(changes).toContainEqual(
      expect.objectContaining({ kind: 'quarantine', isHindered: true }),
    );
  });

  it('long ago changes nothing for a task that has it again', () => {
    const again = buildTaskIn('working');
    expect(see(again, freed)).toEqual(NOTHING);
    expect(see(again, failed)).toEqual(NOTHING);
  });
});
