import { describe, expect, it } from 'vitest';
import type { Request } from '../../src/domain/request.js';
import type { Extensions } from '../../src/domain/task.js';
import { describeFailure } from '../../src/domain/describe-failure.js';
import { nameInFailure } from '../../src/cli/name-in-failure.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

function waiting(id: string, extensions: Extensions = {}) {
  const fields = {
    id,
    branch: id,
    status: 'pending',
    workspace: null,
    tmux_session: null,
  } as const;
  return taskView({ fields, extensions, session: 'inactive', reasons: [] });
}

const FIRST = waiting('first', { priority: 'high', tags: ['ui', 'css'] });
const SECOND = waiting('second', { blocked_by: ['first', 'gone'], category: 'bug' });
const THIRD = waiting('third', { queue: 'backlog', blocked_by: ['second'], priority: 'medium' });
const snapshot = snapshotOf([FIRST, SECOND, THIRD]);

async function requestOf(...words: readonly string[]): Promise<Request | undefined> {
  const rig = cliRig({ snapshot });
  expect(await rig.run(...words)).toMatchObject({ exitCode: 0 });
  return rig.client.requests[0]?.request;
}

describe('steering the queue', () => {
  it.each([
    [
      'task block third first second',
      { kind: 'task.block', taskId: 'third', blockers: ['first', 'second'] },
    ],
    ['task unblock second', { kind: 'task.unblock', taskId: 'second', blockers: [] }],
    ['task unblock second gone', { kind: 'task.unblock', taskId: 'second', blockers: ['gone'] }],
    [
      'task unblock second shop/first',
      { kind: 'task.unblock', taskId: 'second', blockers: ['first'] },
    ],
    ['task hold first', { kind: 'task.hold', taskId: 'first', reason: 'by hand' }],
    ['task hold first -m later', { kind: 'task.hold', taskId: 'first', reason: 'later' }],
    ['task release first', { kind: 'task.release', taskId: 'first' }],
    ['task requeue first --yes', { kind: 'task.requeue', taskId: 'first', hold: null }],
    ['task requeue first -y --hold x', { kind: 'task.requeue', taskId: 'first', hold: 'x' }],
  ] as const)('orange %s', async (line, request) => {
    expect(await requestOf(...line.split(' '))).toEqual(request);
  });

  it.each([
    [{ kind: 'blocking-cycle', path: ['first', 'second', 'first'] } as const, 'shop/second → shop'],
    [{ kind: 'blocked-by-self', taskId: 'first' } as const, 'Task shop/first cannot wait'],
  ])('names the tasks that cannot wait for each other: %o', (failure, told) => {
    const request = { kind: 'task.block', taskId: 'first', blockers: ['second'] } as const;
    const named = nameInFailure(failure, request, snapshot.tasks);
    expect(describeFailure(named).message).toContain(told);
  });

  it('takes medium for normal without offering it', async () => {
    const rig = cliRig({ snapshot });
    expect((await rig.run('ls', '--json', '-P', 'medium')).rows()).toHaveLength(2);
    const refused = await rig.run('task', 'update', 'first', '--priority', 'urgent');
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('critical, high, normal, low.');
  });

  it('requeue asks first, and is refused where there is nobody to ask', async () => {
    const rig = cliRig({ snapshot });
    expect(await rig.run('task', 'requeue', 'first')).toMatchObject({ exitCode: 1 });
    expect(rig.client.requests).toEqual([]);
  });

  it('a blocker that does not exist is not found', async () => {
    const rig = cliRig({ snapshot });
    expect(await rig.run('task', 'block', 'first', 'nobody')).toMatchObject({ exitCode: 3 });
  });
});

describe('the filters of a list', () => {
  it.each([
    ['ORC-26 by queue', '-q active', ['first', 'second']],
    ['ORC-26 of the backlog', '--queue backlog', ['third']],
    ['ORC-27 by priority', '-P high', ['first']],
    ['ORC-27 with normal as the default', '-P normal', ['second', 'third']],
    ['ORC-28 by category', '-c bug', ['second']],
    ['ORC-28 ORC-44 with feature as the default', '-c feature', ['first', 'third']],
    ['by one of several tags', '-t css -t nothing', ['first']],
    ['by several at once', '-P normal -q active', ['second']],
  ] as const)('%s', async (_, options, ids) => {
    const rows = (await cliRig({ snapshot }).run('ls', '--json', ...options.split(' '))).rows();
    expect(rows.map((row) => row['id'])).toEqual(ids);
  });

  it('refuse a word that they do not know', async () => {
    expect(await cliRig({ snapshot }).run('ls', '-c', 'feat')).toMatchObject({ exitCode: 2 });
  });
});

describe('what tasks have to do with each other', () => {
  it('ORC-45 stands in the list where there is something', async () => {
    const rows = (await cliRig({ snapshot }).run('ls', '--json')).rows();
    expect(rows.map((row) => row['blocks'])).toEqual([['second'], ['third'], undefined]);
  });

  it('task deps shows both ways, and what does not exist', async () => {
    const rig = cliRig({ snapshot });
    const shown = await rig.run('task', 'deps', 'second');
    expect(shown.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'shop/second (second)',
      '  waits for',
      '    shop/first (pending)',
      '    gone (does not exist)',
      '  blocks',
      '    shop/third (pending)',
      '',
    ]);
    expect((await rig.run('task', 'deps', 'third', '--json')).json()).toMatchObject({
      id: 'third',
      waits_for: [{ id: 'second', next: [{ id: 'first' }, { id: 'gone', status: null }] }],
      blocks: [],
    });
  });

  it('task deps ends where tasks wait for each other', async () => {
    const tasks = [
      waiting('here', { blocked_by: ['there'] }),
      waiting('there', { blocked_by: ['here'] }),
    ];
    const ran = await cliRig({ snapshot: snapshotOf(tasks) }).run('task', 'deps', 'here', '--json');
    expect(ran.json()).toMatchObject({
      waits_for: [{ id: 'there', cycle: false, next: [{ id: 'here', cycle: true, next: [] }] }],
    });
  });
});

describe('orange next', () => {
  it('without a daemon says that nothing starts, and what else the record knows', async () => {
    const reasons = [{ code: 'held', message: 'held: later' }];
    const held = { ...waiting('pend1', { hold: 'later' }), reasons };
    const rig = cliRig({ snapshot: snapshotOf([held]), isDaemonUp: false });
    const ran = await rig.run('next', '--explain', '--json');
    expect(ran.json()).toEqual([
      {
        id: 'pend1',
        eligible: false,
        reasons: [
          {
            code: 'held',
            message: 'held: later',
            settle: 'orange task release shop/pend1',
          },
          {
            code: 'daemon-not-running',
            message: expect.any(String),
            settle: 'orange daemon start',
          },
        ],
      },
    ]);
    const told = (await rig.run('next', '--explain')).stdout;
    expect(told).toMatch(/held: later\n +orange task release .*\n.*\(orange daemon start\)\n$/u);
  });
});
