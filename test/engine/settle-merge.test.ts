import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../src/domain/check-run.js';
import type { Failure } from '../../src/domain/failure.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

const PASSED: CheckRun = {
  command: 'npm test',
  result: 'passed',
  exitStatus: 0,
  durationMs: 12,
  tail: 'ok',
};

function mergeFails(failure: Failure, checks: readonly CheckRun[] = []) {
  const task = buildTaskIn('reviewing', { activity: 'merging' });
  const seen = {
    kind: 'merge-failed',
    taskId: TASK_ID,
    askedBy: 'human',
    failure,
    reason: 'because',
    checks,
  } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

const CONFLICT: Failure = {
  kind: 'merge-conflict',
  branch: 'dark-mode',
  base: 'main',
  files: ['a.ts', 'odd\u001b[31m\nname'],
  onto: 'c0ffee',
};

describe('a merge with conflicts', () => {
  it('ORC-116 sends the task back to work with the files, and tells the worker', () => {
    const decision = mergeFails(CONFLICT);
    expect(decision.failure).toEqual(CONFLICT);
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'working' },
      runtime: { activity: null },
      events: [
        { type: 'status.changed', from: 'reviewing', reason: 'merge conflict', by: 'human' },
      ],
    });
    const [section] = updateOf(decision).sections;
    expect(section).toMatchObject({ kind: 'set', section: 'Review' });
    expect(section).toMatchObject({
      text: expect.stringMatching(/^Verdict: FAIL\n[^]*\n- a\.ts\n- odd name\n$/),
    });
    expect(decision.effects).toMatchObject([
      {
        kind: 'tell-agent',
        message: {
          kind: 'merge-conflict',
          base: 'main',
          onto: 'c0ffee',
          files: ['a.ts', 'odd name'],
        },
      },
    ]);
  });

  it('names no more than fifty files', () => {
    const files = Array.from({ length: 60 }, (_, index) => `f${index}`);
    const [effect] = mergeFails({ ...CONFLICT, files }).effects;
    expect(effect).toMatchObject({ message: { files: expect.arrayContaining(['and 10 more']) } });
  });
});

it('a merge whose checks fail leaves the task reviewing, with the runs in its history', () => {
  const check: CheckRun = { ...PASSED, result: 'failed', exitStatus: 1 };
  const failure: Failure = { kind: 'checks-failed', stage: 'merge', check, log: '/x' };
  const decision = mergeFails(failure, [PASSED, check]);
  expect(decision.failure).toEqual(failure);
  expect(updateOf(decision)).toMatchObject({
    fields: {},
    runtime: { activity: null, mergeTrouble: 'because' },
    events: [
      { type: 'check.ran', stage: 'merge', command: 'npm test', result: 'passed' },
      { type: 'check.ran', result: 'failed', exit_status: 1 },
    ],
  });
});

function afterMerge(workspace: string | null, deleteBranch: boolean) {
  const task = buildTaskIn('reviewing', {
    activity: 'merging',
    fields: { workspace, tmux_session: null, branch: 'dark-mode' },
  });
  const result = { commit: 'c0ffee', strategy: 'squash', checks: [] } as const;
  const seen = { kind: 'merged', taskId: TASK_ID, askedBy: 'human', ...result } as const;
  const settings = buildSettings({ merge: { strategy: 'squash', push: false, deleteBranch } });
  return decide(buildWorld({ tasks: [task], settings }), seen, momentAt()).effects;
}

describe('the branch of a merged task', () => {
  it('goes by itself where there is no worktree whose release would take it', () => {
    const clearing = { kind: 'delete-branch', taskId: TASK_ID, branch: 'dark-mode' };
    expect(afterMerge(null, true)).toEqual([clearing]);
    expect(afterMerge('shop--1', true)).toMatchObject([
      { kind: 'release-workspace', deleteBranch: true },
    ]);
  });

  it('stays where the settings say so', () => {
    expect(afterMerge(null, false)).toEqual([]);
  });
});

function merge(wish: { readonly anyway?: boolean; readonly local?: boolean }, url?: string) {
  const extensions = url === undefined ? {} : { pr_state: 'open' };
  const task = buildTaskIn('reviewing', { fields: { pr_url: url ?? null }, extensions });
  const words = { strategy: null, push: null, message: null };
  const request = { kind: 'task.merge', taskId: TASK_ID, ...words, ...wish } as const;
  const seen = { kind: 'request', request, actor: 'human', newId: 'unused' } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

describe('task merge', () => {
  it('takes only what was judged, unless it is told to merge anyway', () => {
    expect(merge({}).effects).toMatchObject([{ heads: 'as-reviewed' }]);
    expect(merge({ anyway: true }).effects).toMatchObject([{ heads: 'any' }]);
  });

  it('of a task with an open pull request needs --local', () => {
    const url = 'https://github.com/pat/shop/pull/7';
    expect(merge({}, url).failure).toEqual({ kind: 'pr-open', url });
    expect(merge({ local: true }, url).effects).toMatchObject([{ kind: 'merge-branch' }]);
  });
});
