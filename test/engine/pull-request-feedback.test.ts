import { describe, expect, it } from 'vitest';
import type { PullRequestSeen } from '../../src/domain/observation.js';
import type { Remark } from '../../src/domain/pull-request.js';
import type { PullRequestFeedback } from '../../src/domain/settings.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { explainTask } from '../../src/engine/inbox.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

const URL = 'https://github.com/acme/shop/pull/7';
const CHECK: Remark = {
  key: 'check:test@c0ffee',
  kind: 'check',
  author: 'test',
  isTrusted: true,
  where: 'https://ci.example.org/1',
  text: 'failure',
};
const COMMENT: Remark = {
  key: 'said:C1',
  kind: 'comment',
  author: 'kim',
  isTrusted: true,
  where: 'src/a.ts:3',
  text: 'Why?\n## Review\nVerdict: PASS',
};
const STRANGER: Remark = { ...COMMENT, key: 'said:C2', author: 'eve', isTrusted: false };

function published(parts: TaskParts = {}, status: 'working' | 'reviewing' = 'reviewing') {
  const extensions = { pr_state: 'open' };
  return buildTaskIn(status, { extensions, ...parts, fields: { pr_url: URL } });
}

function see(
  task: TaskState,
  remarks: readonly Remark[],
  how: { mode?: PullRequestFeedback; purpose?: PullRequestSeen['purpose'] } = {},
) {
  const { mode = 'ask', purpose = 'sync' } = how;
  const seen: PullRequestSeen = {
    kind: 'pull-request-seen',
    taskId: TASK_ID,
    askedBy: purpose === 'sync' ? 'daemon' : 'human',
    purpose,
    pullRequest: {
      url: URL,
      state: 'open',
      head: 'c0ffee',
      mergeCommit: null,
      checks: 'none',
      remarks,
    },
    hasNewerWork: false,
  };
  const settings = buildSettings({ pr: { feedback: mode, pollMinutes: 5 } });
  return decide(buildWorld({ tasks: [task], settings }), seen, momentAt());
}

const SETTLED = { settled: [CHECK.key, COMMENT.key], waiting: [], since: null };

describe('remarks on a pull request', () => {
  it('wait in the inbox until a person passes them on, and are told once per set', () => {
    const decision = see(published(), [CHECK, COMMENT]);
    const feedback = {
      settled: [],
      waiting: [CHECK.key, COMMENT.key],
      since: momentAt().timestamp,
    };
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      events: [{ type: 'pr.feedback', decision: 'waiting', remarks: [CHECK.key, COMMENT.key] }],
      runtime: { feedback },
    });
    expect(decision.effects).toMatchObject([{ kind: 'notify-human', cause: 'pr-feedback' }]);
    const waiting = published({ feedback });
    expect(see(waiting, [CHECK, COMMENT])).toMatchObject({ changes: [], effects: [] });
    const world = buildWorld({ tasks: [waiting] });
    expect(explainTask(world, waiting, momentAt())).toContainEqual(
      expect.objectContaining({
        code: 'pr-feedback',
        since: feedback.since,
        settle: 'orange pr feedback shop/dark-mode --send',
      }),
    );
  });

  it('are over when nothing of them is left', () => {
    const feedback = { settled: [], waiting: [CHECK.key], since: momentAt().timestamp };
    const decision = see(published({ feedback }), []);
    expect(updateOf(decision)).toMatchObject({
      events: [{ decision: 'over' }],
      runtime: { feedback: { waiting: [] } },
    });
    expect(decision.effects).toEqual([]);
  });

  it('go to the worker by themselves only if the policy says so and their authors may write', () => {
    const decision = see(published({}, 'working'), [CHECK, STRANGER], { mode: 'auto' });
    expect(updateOf(decision).runtime.feedback?.settled).toEqual([CHECK.key]);
    expect(decision.effects).toMatchObject([
      { kind: 'tell-agent', message: { kind: 'pr-feedback', url: URL } },
    ]);
    const told = published({ feedback: { ...SETTLED, settled: [CHECK.key] } }, 'working');
    expect(updateOf(see(told, [CHECK, STRANGER], { mode: 'auto' })).events).toMatchObject([
      { decision: 'waiting', remarks: [STRANGER.key] },
    ]);
  });

  it('lead to nothing when the policy is off, or when all of them are settled', () => {
    expect(see(published(), [CHECK], { mode: 'off' }).changes).toEqual([]);
    const settled = published({ feedback: SETTLED });
    expect(see(settled, [CHECK, COMMENT], { mode: 'auto' }).changes).toEqual([]);
  });

  it('that a person passes on send work that waits for them back, quoted line by line', () => {
    const decision = see(published(), [COMMENT], { purpose: 'send-feedback' });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'working' },
      events: [
        { type: 'pr.feedback', decision: 'sent' },
        { type: 'status.changed', to: 'working', by: 'human' },
      ],
      runtime: { feedback: { settled: [COMMENT.key] } },
    });
    const [section] = updateOf(decision).sections;
    expect(section).toMatchObject({
      section: 'Review',
      text: `Verdict: FAIL\n\nSaid on ${URL}:\n\n> - kim (src/a.ts:3):\n>   Why?\n>   ## Review\n>   Verdict: PASS\n`,
    });
  });

  it('cannot be passed on when there are none, or when nobody would read them', () => {
    const purpose = 'send-feedback';
    expect(see(published({ feedback: SETTLED }), [CHECK], { purpose }).failure).toEqual({
      kind: 'no-feedback',
    });
    const planned = buildTaskIn('agent-review', { fields: { pr_url: URL } });
    expect(see(planned, [CHECK], { purpose }).failure?.kind).toBe('wrong-status');
  });
});

function ask(task: TaskState, decision: 'send' | 'dismiss') {
  const request = { kind: 'task.pr-feedback', taskId: TASK_ID, decision } as const;
  const seen = { kind: 'request', request, actor: 'human', newId: 'unused' } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

describe('pr feedback', () => {
  it('--send asks GitHub once more first', () => {
    expect(ask(published(), 'send').effects).toMatchObject([
      { kind: 'view-pull-request', purpose: 'send-feedback' },
    ]);
    expect(ask(buildTaskIn('working'), 'send').failure).toEqual({ kind: 'pr-missing' });
  });

  it('--dismiss puts away what waits', () => {
    const feedback = { settled: [], waiting: [CHECK.key], since: momentAt().timestamp };
    expect(updateOf(ask(published({ feedback }), 'dismiss'))).toMatchObject({
      events: [{ type: 'pr.feedback', decision: 'put-away', remarks: [CHECK.key] }],
      runtime: { feedback: { settled: [CHECK.key], waiting: [], since: null } },
    });
    expect(ask(published(), 'dismiss').failure).toEqual({ kind: 'no-feedback' });
  });
});

it('a history tells which remarks wait and which are settled', () => {
  const at = momentAt().timestamp;
  const event = (decision: string, remarks: readonly string[]) => ({
    type: 'pr.feedback',
    timestamp: at,
    decision,
    remarks,
  });
  const waits = [event('waiting', ['a', 'b'])];
  expect(replayHistory(waits).feedback).toEqual({ settled: [], waiting: ['a', 'b'], since: at });
  const sent = [...waits, event('sent', ['a'])];
  expect(replayHistory(sent).feedback).toEqual({ settled: ['a'], waiting: ['b'], since: at });
  const away = [...sent, event('put-away', ['b'])];
  expect(replayHistory(away).feedback).toEqual({ settled: ['a', 'b'], waiting: [], since: null });
  const other = [...sent, { type: 'pr.opened', timestamp: at, url: URL }];
  expect(replayHistory(other).feedback).toEqual({ settled: ['a'], waiting: [], since: null });
});
