import { describe, expect, it } from 'vitest';
import type { PullRequestSeen } from '../../src/domain/observation.js';
import type { PullRequest } from '../../src/domain/pull-request.js';
import type { Actor, TaskRequest } from '../../src/domain/request.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { explainTask } from '../../src/engine/inbox.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

const URL = 'https://github.com/acme/shop/pull/7';
const OPEN: PullRequest = {
  url: URL,
  state: 'open',
  head: 'c0ffee',
  mergeCommit: null,
  checks: 'pending',
  remarks: [],
};

function published(parts: TaskParts = {}): TaskState {
  return buildTaskIn('reviewing', {
    extensions: { pr_state: 'open' },
    ...parts,
    fields: { pr_url: URL, ...parts.fields },
  });
}

function see(task: TaskState, pullRequest: Partial<PullRequest>, more?: Partial<PullRequestSeen>) {
  const seen: PullRequestSeen = {
    kind: 'pull-request-seen',
    taskId: TASK_ID,
    askedBy: 'daemon',
    purpose: 'sync',
    pullRequest: { ...OPEN, ...pullRequest },
    hasNewerWork: false,
    ...more,
  };
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

function ask(task: TaskState, request: TaskRequest, actor: Actor = 'human') {
  const seen = { kind: 'request', request, actor, newId: 'unused' } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

const CREATE: TaskRequest = {
  kind: 'task.pr-create',
  taskId: TASK_ID,
  isDraft: true,
  title: null,
  body: null,
  base: null,
};
const SYNC: TaskRequest = { kind: 'task.pr-sync', taskId: TASK_ID };

describe('pr create', () => {
  it('publishes the branch while nothing else is done for the task', () => {
    const decision = ask(buildTaskIn('working'), CREATE);
    expect(updateOf(decision).runtime).toEqual({ activity: 'publishing' });
    expect(decision.effects).toMatchObject([{ kind: 'open-pull-request', isDraft: true }]);
  });

  it('is for people, and for tasks that are not over', () => {
    expect(ask(buildTaskIn('working'), CREATE, 'agent').failure?.kind).toBe('not-for-agents');
    expect(ask(buildTaskIn('done'), CREATE).failure?.kind).toBe('wrong-status');
    const busy = buildTaskIn('reviewing', { activity: 'merging' });
    expect(ask(busy, CREATE).failure?.kind).toBe('agent-busy');
  });

  it('ends with the address in the record', () => {
    const task = buildTaskIn('reviewing', { activity: 'publishing' });
    expect(updateOf(see(task, {}, { purpose: 'opened' }))).toMatchObject({
      fields: { pr_url: URL },
      extensions: { pr_state: 'open', pr_checks: 'pending' },
      events: [{ type: 'pr.opened', url: URL, state: 'open', checks: 'pending' }],
      runtime: { activity: null },
    });
  });

  it('that failed leaves the task as it was, with the reason for whoever asked', () => {
    const task = buildTaskIn('reviewing', { activity: 'publishing' });
    const failure = { kind: 'github-unavailable', reason: 'no-gh', where: '' } as const;
    const seen = {
      kind: 'pull-request-failed',
      taskId: TASK_ID,
      askedBy: 'human',
      failure,
    } as const;
    const decision = decide(buildWorld({ tasks: [task] }), seen, momentAt());
    expect(decision.failure).toEqual(failure);
    expect(updateOf(decision)).toMatchObject({ events: [], runtime: { activity: null } });
  });
});

describe('pr sync', () => {
  it('asks GitHub, if there is something to ask about', () => {
    expect(ask(published(), SYNC).effects).toMatchObject([{ kind: 'view-pull-request' }]);
    expect(ask(buildTaskIn('working'), SYNC).failure).toEqual({ kind: 'pr-missing' });
  });

  it('records a change once', () => {
    const changed = updateOf(see(published(), { checks: 'failing', state: 'draft' }));
    expect(changed).toMatchObject({
      fields: {},
      extensions: { pr_state: 'draft', pr_checks: 'failing' },
      events: [{ type: 'pr.updated', state: 'draft', checks: 'failing' }],
    });
    const known = published({ extensions: { pr_state: 'open', pr_checks: 'pending' } });
    expect(see(known, {}).changes).toEqual([]);
  });

  it('takes no notice of a pull request that is no longer the task’s, or of a task that is over', () => {
    const other = URL.replace('7', '8');
    expect(see(published(), { url: other, state: 'merged' }).changes).toEqual([]);
    const over = buildTaskIn('cancelled', { fields: { pr_url: URL } });
    expect(see(over, { state: 'merged' }).changes).toEqual([]);
  });
});

describe('a pull request that was merged', () => {
  it.each(['planning', 'working', 'clarification', 'agent-review', 'reviewing', 'stuck'] as const)(
    'finishes a task in %s, frees its worktree and removes the branch',
    (status) => {
      const task = buildTaskIn(status, { fields: { pr_url: URL } });
      const decision = see(task, { state: 'merged', mergeCommit: 'abc' });
      expect(updateOf(decision)).toMatchObject({
        fields: { status: 'done' },
        extensions: { pr_state: 'merged' },
        events: [
          { type: 'pr.merged', url: URL, commit: 'abc' },
          { type: 'auto.advanced', to: 'done', reason: 'its pull request was merged' },
        ],
      });
      expect(decision.effects).toMatchObject([{ kind: 'release-workspace', deleteBranch: true }]);
    },
  );

  it('waits while something else is done for the task, and says so to whoever asked', () => {
    const busy = published({ activity: 'merging' });
    expect(see(busy, { state: 'merged' })).toMatchObject({ changes: [], failure: null });
    const asked = see(busy, { state: 'merged' }, { askedBy: 'human' });
    expect(asked.failure).toMatchObject({ kind: 'agent-busy', doing: 'merging' });
  });
});

describe('a pull request that was closed', () => {
  it('cancels its task when GitHub had all of the work', () => {
    const decision = see(published(), { state: 'closed' });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'cancelled' },
      extensions: { pr_state: 'closed' },
      events: [{ type: 'pr.closed' }, { type: 'auto.advanced', to: 'cancelled' }],
    });
    expect(decision.effects).toMatchObject([{ kind: 'release-workspace', deleteBranch: false }]);
  });

  it('waits for a person when there is newer work here, and tells them once', () => {
    const decision = see(published(), { state: 'closed' }, { hasNewerWork: true });
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      extensions: { pr_state: 'closed' },
      events: [{ type: 'pr.closed', newer_work: true }],
    });
    expect(decision.effects).toMatchObject([
      { kind: 'notify-human', cause: 'pr-closed-with-commits' },
    ]);
    const closed = published({ extensions: { pr_state: 'closed', pr_checks: 'pending' } });
    expect(see(closed, { state: 'closed' }, { hasNewerWork: true }).effects).toEqual([]);
    const world = buildWorld({ tasks: [closed] });
    expect(explainTask(world, closed, momentAt())).toContainEqual(
      expect.objectContaining({
        code: 'pr-closed-with-commits',
        settle: 'orange pr create shop/dark-mode',
      }),
    );
  });
});
