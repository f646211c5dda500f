import { describe, expect, it } from 'vitest';
import type { Attention, AttentionKind } from '../../src/domain/attention.js';
import type { Diagnostic } from '../../src/domain/diagnostic.js';
import { inboxOf } from '../../src/domain/inbox.js';
import type { AgentExit } from '../../src/domain/session.js';
import { STATUSES } from '../../src/domain/status.js';
import type { TaskState } from '../../src/domain/world.js';
import { explainTask } from '../../src/engine/inbox.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { buildTask, buildTaskIn, endedAgent, type TaskParts } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt, type WorldParts } from '../builders/world.js';

const BROKEN: Diagnostic = {
  code: 'ORA011',
  severity: 'error',
  file: '/home/TASK.md',
  line: 3,
  message: 'no closing line',
  fix: 'add it',
};
const HUMAN_START = {
  settings: buildSettings({
    policy: { gates: { start: 'human', plan: 'auto', review: 'ai', merge: 'human' } },
  }),
};

type Expected = {
  readonly code: string;
  readonly message: string;
  readonly settle: string;
  readonly since?: string;
};

function needs(task: TaskState, world: WorldParts = {}) {
  const reasons = explainTask(buildWorld({ ...world, tasks: [task] }), task, momentAt());
  return reasons.filter(({ settle }) => settle !== undefined);
}

const asking = (...texts: readonly string[]): TaskParts => ({
  artifacts: {
    questions: texts.map((text, index) => ({ number: index + 1, text, isAnswered: false })),
  },
});
const attentionOf = (kind: AttentionKind): Attention => ({
  kind,
  launchId: 'worker-1',
  since: '2026-01-02T11:00:00Z',
  reason: 'because',
  wasPolled: false,
});
const ended = (parts: Partial<AgentExit>) =>
  endedAgent('worker', {
    isNoted: true,
    exit: { status: 3, signal: null, hasScreen: false, ...parts },
  });
const at = (minute: number) => `2026-01-02T11:0${minute}:00Z`;
const blocked = (id: string) => buildTask({ extensions: { blocked_by: [id] } });
const trouble = { reason: 'no disk', failures: 3, retryAtMs: 9_000_000, since: at(2) };

describe('what waits for a person', () => {
  const name = 'shop/dark-mode';
  it.each<readonly [string, TaskState, WorldParts, Expected]>([
    [
      'a question',
      buildTaskIn('clarification', asking('Red\nor blue?')),
      {},
      {
        code: 'question',
        message: 'asks: Red or blue?',
        settle: `orange task answer ${name} TEXT`,
      },
    ],
    [
      'several questions',
      buildTaskIn('clarification', asking('Red?', 'Big?', 'Why?')),
      {},
      {
        code: 'question',
        message: 'asks: Red? (and 2 more)',
        settle: `orange task answer ${name} TEXT`,
      },
    ],
    [
      'a question that was never written',
      buildTaskIn('clarification'),
      {},
      {
        code: 'question',
        message: 'the agent asks: see its terminal or ## Questions in TASK.md',
        settle: `orange task answer ${name} TEXT`,
      },
    ],
    [
      'work to review',
      buildTaskIn('reviewing'),
      {},
      {
        code: 'review',
        message: 'waits for your review: merge it or send it back',
        settle: `orange task merge ${name}`,
      },
    ],
    [
      'a failed merge',
      buildTaskIn('reviewing', { mergeTrouble: 'it conflicts' }),
      {},
      { code: 'merge-failed', message: 'it conflicts', settle: `orange task merge ${name}` },
    ],
    [
      'words that came too late',
      buildTaskIn('working', { keptEdit: 'late-edit-1.md' }),
      {},
      {
        code: 'edit-kept',
        message: 'words that could not go into TASK.md are in transcripts/late-edit-1.md',
        settle: `orange task report ${name} -m seen`,
      },
    ],
    [
      'a stuck task',
      buildTaskIn('stuck', { stuckBecause: 'crashed 2 times' }),
      {},
      {
        code: 'stuck',
        message: 'crashed 2 times',
        settle: `orange task update ${name} --status working`,
      },
    ],
    [
      'a task that got stuck before it had its plan',
      buildTaskIn('stuck', { stuckBecause: 'crashed 2 times', cameFrom: 'planning' }),
      {},
      {
        code: 'stuck',
        message: 'crashed 2 times',
        settle: `orange task update ${name} --status planning`,
      },
    ],
    [
      'a start gate',
      buildTask(),
      HUMAN_START,
      {
        code: 'start-gate',
        message: 'waits for a person to start it',
        settle: `orange approve ${name}`,
      },
    ],
    [
      'a blocker that does not exist',
      blocked('gone1'),
      {},
      {
        code: 'dead-end',
        message: 'blocked by gone1, which does not exist',
        settle: `orange task unblock ${name} gone1`,
      },
    ],
    [
      'an agent program that is missing',
      buildTask({ fields: { harness: 'ghost' } }),
      {},
      {
        code: 'harness-not-installed',
        message: 'harness ghost is not installed',
        settle: `orange task update ${name} --harness NAME`,
      },
    ],
    [
      'a start that fails',
      buildTaskIn('working', { startTrouble: trouble }),
      {},
      {
        code: 'start-failed',
        message: 'could not start: no disk',
        settle: `orange task show ${name}`,
        since: at(2),
      },
    ],
    [
      'a task file that cannot be read',
      buildTaskIn('working', { problems: [BROKEN], unreadableSince: at(3) }),
      {},
      {
        since: at(3),
        code: 'unreadable',
        message: 'TASK.md cannot be read: no closing line',
        settle: `orange validate ${name}`,
      },
    ],
    [
      'a project that is gone',
      buildTask(),
      { projects: [] },
      {
        code: 'project-missing',
        message: 'project shop is not registered',
        settle: 'orange project add PATH',
      },
    ],
  ])('%s', (_, task, world, expected) => {
    expect(needs(task, world)).toEqual([expected]);
  });

  it.each<readonly [string, TaskParts, string]>([
    ['crashed and stays down', { worker: ended({}) }, 'crashed'],
    [
      'was interrupted and stays down',
      { worker: ended({ interruptedBy: 'reboot' }) },
      'interrupted',
    ],
    ['is stalled', { attention: attentionOf('stalled') }, 'stalled'],
    ['waits for somebody', { attention: attentionOf('waiting-for-human') }, 'waiting-for-human'],
  ])('an agent at work that %s', (_, parts, code) => {
    expect(needs(buildTaskIn('working', parts)).map((need) => need.code)).toEqual([code]);
  });

  it('a start that fails does so while it is tried again, too', () => {
    const code = 'start-failed';
    const due = { ...trouble, retryAtMs: 1 };
    const parts = { activity: 'starting', startTrouble: due } as const;
    expect(needs(buildTask(parts))).toMatchObject([{ code, since: at(2) }]);
    expect(needs(buildTask({ startTrouble: trouble }))).toMatchObject([{ code, since: at(2) }]);
    expect(needs(buildTask({ startTrouble: due }))).toEqual([]);
  });

  it('an agent that could not be started again and stays down is told once', () => {
    const worker = { ...ended({ status: null }), startFailure: 'no disk' };
    const found = needs(buildTaskIn('working', { worker, startTrouble: trouble }));
    expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'crashed: the agent could not be started: no disk',
    ]);
  });

  it('an agent that is quiet, or about to be started again, does not', () => {
    expect(needs(buildTaskIn('working', { attention: attentionOf('quiet') }))).toEqual([]);
    expect(needs(buildTaskIn('working', { worker: ended({}), respawnAtMs: 5 }))).toEqual([]);
  });

  it.each<readonly [string, TaskState, Partial<AgentExit>, string]>([
    [
      'a review',
      buildTaskIn('reviewing'),
      {},
      'waits for your review: merge it or send it back; its agent is gone: exit status 3',
    ],
    [
      'a merge that failed',
      buildTaskIn('reviewing', { mergeTrouble: 'it conflicts' }),
      { signal: 'SIGKILL' },
      'it conflicts; its agent is gone: SIGKILL',
    ],
    [
      'a question',
      buildTaskIn('clarification', asking('Red?')),
      { signal: 'SIGHUP', interruptedBy: 'server' },
      'asks: Red?; its agent is gone: the tmux server died',
    ],
    [
      'a task that asked for a person',
      buildTaskIn('stuck'),
      { signal: 'SIGHUP', interruptedBy: 'reboot' },
      'asked for a person; its agent is gone: the machine was restarted',
    ],
  ])(
    'an agent that is gone while its task waits is told with what it waits for: %s',
    (_, task, exit, message) => {
      const found = needs({ ...task, worker: ended(exit) });
      expect(found.map((need) => need.message)).toEqual([message]);
    },
  );

  it('an agent that said goodbye in good order is not missed', () => {
    const task = buildTaskIn('reviewing', { worker: ended({ status: 0 }) });
    expect(needs(task)[0]?.message).toBe('waits for your review: merge it or send it back');
  });

  it('an agent that could not be started while its task waits is told by that', () => {
    const worker = { ...ended({ status: null }), startFailure: 'no disk' };
    const task = buildTaskIn('reviewing', { worker, startTrouble: trouble });
    expect(needs(task).map(({ message }) => message)).toEqual([
      'waits for your review: merge it or send it back',
      'could not start: no disk',
    ]);
  });

  it('a crash that made its task stuck is told once, a later end beside it', () => {
    const task = buildTaskIn('stuck', { stuckBecause: 'crashed 2 times', statusSince: at(3) });
    const messages = (endedAt: string) =>
      needs({ ...task, worker: ended({ endedAt }) }).map(({ message }) => message);
    expect(messages(at(3))).toEqual(['crashed 2 times']);
    expect(messages(at(4))).toEqual(['crashed 2 times; its agent is gone: exit status 3']);
  });

  it('what somebody has put off waits for nobody', () => {
    for (const extensions of [{ hold: 'later' }, { queue: 'backlog' }, { assignee: 'Pat' }]) {
      expect(needs(buildTask({ extensions }), HUMAN_START)).toEqual([]);
    }
  });

  it.each(STATUSES.filter((status) => !/clarification|reviewing|stuck/.test(status)))(
    'a %s task in good order does not',
    (status) => {
      expect(needs(buildTaskIn(status))).toEqual([]);
    },
  );

  it('a name that a shell would take apart is replaced by the id', () => {
    const task = buildTaskIn('stuck', { fields: { branch: 'a$(x)' } });
    expect(needs(task)[0]?.settle).toBe(`orange task update ${task.fields.id} --status working`);
  });
});

const stuck = (branch: string, minute: number, project = 'shop') =>
  taskView({
    fields: { id: `${branch}1`, branch, project, status: 'stuck' },
    status_since: at(minute),
  });

describe('the inbox', () => {
  it('has everything that waits, oldest first, of one project or of all', () => {
    const snapshot = {
      ...snapshotOf([stuck('new', 5), stuck('old', 1), stuck('other', 3, 'site'), taskView()]),
      problems: [{ ...BROKEN, file: '/home/config.yaml' }],
    };
    expect(inboxOf(snapshot).map((item) => item.task)).toEqual([
      null,
      'shop/old',
      'site/other',
      'shop/new',
    ]);
    expect(inboxOf(snapshot, 'site').map((item) => item.task)).toEqual([null, 'site/other']);
    expect(inboxOf(snapshot)[0]).toMatchObject({
      code: 'broken-file',
      message: '/home/config.yaml:3 ORA011 no closing line',
      command: 'orange doctor',
    });
  });

  it('gives a reason its own time where it has one', () => {
    const late = { code: 'undelivered', message: 'm', settle: 's', since: at(7) };
    const view = taskView({ reasons: [late], status_since: at(1) });
    expect(inboxOf(snapshotOf([view]))[0]?.since).toBe(at(7));
  });

  it('leaves out what needs nobody', () => {
    const view = taskView({ reasons: [{ code: 'pool-full', message: 'm' }] });
    expect(inboxOf(snapshotOf([view]))).toEqual([]);
  });

  it('has the open questions with the task that asks them', () => {
    const questions = [{ number: 2, text: 'Red?' }];
    const view = taskView({ fields: { status: 'clarification' }, questions });
    expect(inboxOf(snapshotOf([view]))[0]).toMatchObject({ code: 'question', questions });
  });
});
