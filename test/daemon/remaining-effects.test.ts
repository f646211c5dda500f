import { describe, expect, it } from 'vitest';
import type { Effect, StartAgent } from '../../src/domain/effect.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { remainingEffects } from '../../src/daemon/remaining-effects.js';
import type { LaunchRecords } from '../../src/ports.js';
import { buildTask, buildTaskIn, TASK_ID } from '../builders/task.js';
import { fakeLaunches, launchRecord } from './daemon-home.js';

const OTHER_ID = 'aaaaaaaaaaaaaaaaaaaaa';
const START: StartAgent = {
  kind: 'start-agent',
  taskId: TASK_ID,
  role: 'worker',
  window: 'worker',
  launchId: 'worker-2',
  workspace: 'shop--1',
  session: 'shop/dark-mode',
  needsBinding: false,
  isResuming: true,
  message: null,
};
const END: Effect = {
  kind: 'end-window',
  taskId: TASK_ID,
  session: 'shop/dark-mode',
  window: 'worker',
};
const RELEASE: Effect = {
  kind: 'release-workspace',
  taskId: TASK_ID,
  session: null,
  workspace: 'shop--1',
  deleteBranch: false,
};
const SPAWNED = { type: 'agent.spawned', timestamp: '2026-01-01T10:00:00Z', launch: 'worker-2' };

function worldWith(...tasks: readonly ReturnType<typeof buildTask>[]): LiveWorld {
  const world = new LiveWorld();
  for (const task of tasks) world.putTask(task);
  return world;
}

function left(
  effects: readonly Effect[],
  about: {
    readonly world?: LiveWorld;
    readonly events?: readonly (typeof SPAWNED)[];
    readonly launches?: LaunchRecords;
  } = {},
): readonly Effect[] {
  return remainingEffects(
    { effects, events: about.events ?? [] },
    about.world ?? worldWith(buildTaskIn('working')),
    about.launches ?? fakeLaunches(),
  );
}

describe('what an earlier daemon still owes', () => {
  it('is everything when nothing was begun', () => {
    expect(left([END, START])).toEqual([END, START]);
  });

  it('is no start that is in the history already', () => {
    expect(left([START], { events: [SPAWNED] })).toEqual([]);
  });

  it('is nothing that came before a start which is in the history', () => {
    expect(left([END, START], { events: [SPAWNED] })).toEqual([]);
  });

  it('does not end the window of an agent that it has just started in it', () => {
    const launches = fakeLaunches([launchRecord(TASK_ID, { launchId: 'worker-2' })]);
    expect(left([END, START], { launches })).toEqual([START]);
  });

  it('takes a launch of another time for no start', () => {
    const launches = fakeLaunches([launchRecord(TASK_ID, { launchId: 'worker-1' })]);
    expect(left([END, START], { launches })).toEqual([END, START]);
  });

  it('cleans no worktree that another task has got since', () => {
    const other = buildTaskIn('planning', { fields: { id: OTHER_ID, workspace: 'shop--1' } });
    const world = worldWith(buildTaskIn('done'), other);
    expect(left([RELEASE], { world })).toEqual([]);
  });

  it('cleans no worktree that is promised to another task', () => {
    const other = buildTask({ fields: { id: OTHER_ID }, reservedWorkspace: 'shop--1' });
    expect(left([RELEASE], { world: worldWith(buildTaskIn('done'), other) })).toEqual([]);
  });

  it('frees a worktree that nobody else has', () => {
    const world = worldWith(buildTaskIn('done', { fields: { workspace: 'shop--1' } }));
    expect(left([RELEASE], { world })).toEqual([RELEASE]);
  });

  it('removes no branch that another task has taken up since', () => {
    const { branch } = buildTask().fields;
    const clearing: Effect = { kind: 'delete-branch', taskId: TASK_ID, branch };
    const done = buildTaskIn('done');
    expect(left([clearing], { world: worldWith(done) })).toEqual([clearing]);
    const over = buildTaskIn('done', { fields: { id: OTHER_ID, branch } });
    expect(left([clearing], { world: worldWith(done, over) })).toEqual([clearing]);
    const other = buildTaskIn('pending', { fields: { id: OTHER_ID, branch } });
    expect(left([clearing], { world: worldWith(done, other) })).toEqual([]);
  });

  it('renames no branch that has its new name', () => {
    const rename: Effect = { kind: 'rename-branch', taskId: TASK_ID, from: 'x', to: 'dark-mode' };
    expect(left([rename])).toEqual([]);
    expect(left([{ ...rename, to: 'other' }])).toHaveLength(1);
  });

  it('merges no task that is done, or was sent back', () => {
    const merge: Effect = {
      kind: 'merge-branch',
      askedBy: 'human',
      taskId: TASK_ID,
      strategy: 'squash',
      push: false,
      message: null,
      heads: 'as-reviewed',
    };
    expect(left([merge], { world: worldWith(buildTaskIn('working')) })).toEqual([]);
    expect(left([merge], { world: worldWith(buildTaskIn('done')) })).toEqual([]);
    expect(left([merge], { world: worldWith(buildTaskIn('reviewing')) })).toEqual([merge]);
  });

  it('is nothing for a task that is gone', () => {
    expect(left([START, RELEASE], { world: worldWith() })).toEqual([]);
  });
});
