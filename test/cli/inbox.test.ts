import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordedReasons } from '../../src/cli/recorded-reasons.js';
import { readHome } from '../../src/cli/read-home.js';
import { describeNeed } from '../../src/domain/describe-need.js';
import { inboxOf } from '../../src/domain/inbox.js';
import type { TaskFields } from '../../src/domain/task.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { sampleTask } from '../record/sample-task.js';
import { temporaryHome } from '../record/temporary-home.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';
import { must } from '../rigs/must.js';

const ASKING = taskView({
  fields: { id: 'asks1', branch: 'asks', status: 'clarification' },
  questions: [
    { number: 1, text: 'Which colour?' },
    { number: 3, text: 'How\nbig?' },
  ],
  status_since: '2026-01-02T11:30:00Z',
});
const OTHER = taskView({ fields: { id: 'othr1', project: 'site', branch: 'x', status: 'stuck' } });
const snapshot = snapshotOf([taskView(), ASKING, OTHER], [projectView(), projectView('site')]);

describe('orange inbox', () => {
  it('shows a long question whole, in lines that fit', async () => {
    const text = `Which of these? ${'one more word '.repeat(12)}end?`;
    const asking = { ...ASKING, questions: [{ number: 1, text }] };
    const ran = await cliRig({ snapshot: snapshotOf([asking], [projectView()]) }).run('inbox');
    const lines = ran.stdout.split('\n').slice(1, 4);
    expect(lines.every((line) => line.startsWith('    ') && line.length <= 80)).toBe(true);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`1. ${text}`);
  });

  it('says for each thing what it is, since when, and how to settle it', async () => {
    const ran = await cliRig({ snapshot, cwd: '/repos/shop' }).run('inbox');
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout.replace(/ \d+[smhd]$/gm, ' AGE')).toBe(
      [
        '● shop/asks (asks1)  question  AGE',
        '    1. Which colour?',
        '    3. How big?',
        '    orange task answer shop/asks TEXT',
        '',
      ].join('\n'),
    );
    expect(ran.stderr).toContain('1 thing waits in other projects: orange inbox --all');
  });

  it('says below the questions that the agent which asked is gone', async () => {
    const { fields, questions } = ASKING;
    const need = { kind: 'question', open: questions, gone: 'SIGTERM' } as const;
    const asking = { ...ASKING, reasons: [describeNeed(need, fields)] };
    const rig = cliRig({ snapshot: snapshotOf([asking], [projectView()]) });
    expect((await rig.run('inbox')).stdout).toContain(
      '    3. How big?\n    its agent is gone: SIGTERM\n',
    );
    expect((await rig.run('inbox', '--json')).rows()).toMatchObject([{ gone: 'SIGTERM' }]);
  });

  it('says how long a stalled agent has been silent by now, as do the list and the task', async () => {
    const since = '2026-01-02T11:30:00Z';
    const reason = 'no sign of life from its agent';
    const { fields } = taskView();
    const task = taskView({
      attention: { kind: 'stalled', since, reason },
      reasons: [describeNeed({ kind: 'stalled', reason }, fields, since)],
    });
    const rig = cliRig({
      snapshot: snapshotOf([task]),
      override: { nowMs: () => Date.parse('2026-01-02T11:35:00Z') },
    });
    const shown = 'no sign of life from its agent for 5 min';
    expect((await rig.run('inbox')).stdout).toMatch(
      /stalled {2}5m\n.*no sign of life .* for 5 min/,
    );
    expect((await rig.run('inbox', '--json')).rows()).toMatchObject([{ message: shown }]);
    expect((await rig.run('ls')).stdout).toContain('no sign of life');
  });

  it('says what else can be done with work that waits for a review', async () => {
    const task = taskView({ fields: { status: 'reviewing' } });
    const { stdout } = await cliRig({ snapshot: snapshotOf([task]) }).run('inbox');
    expect(stdout).toContain(
      '    orange task merge shop/dark-mode\n    or: orange task request-changes shop/dark-mode -m TEXT\n',
    );
  });

  it('has every project with --all, and one by name', async () => {
    const rig = cliRig({ snapshot, cwd: '/repos/shop' });
    const tasks = async (...words: readonly string[]) =>
      (await rig.run('inbox', '--json', ...words)).rows().map((row) => row['task']);
    expect(await tasks('--all')).toEqual(['shop/asks', 'site/x']);
    expect(await tasks('--project', 'site')).toEqual(['site/x']);
    expect((await rig.run('inbox', '--project', 'sight')).exitCode).toBe(3);
  });

  it('has stable keys in JSON', async () => {
    const ran = await cliRig({ snapshot }).run('inbox', '--json', '--project', 'shop');
    expect(ran.rows()).toEqual([
      {
        code: 'question',
        message: 'the agent asks: see its terminal or ## Questions in TASK.md',
        since: '2026-01-02T11:30:00Z',
        command: 'orange task answer shop/asks TEXT',
        task_id: 'asks1',
        task: 'shop/asks',
        project: 'shop',
        status: 'clarification',
        summary: 'Add a dark theme',
        questions: [
          { number: 1, text: 'Which colour?' },
          { number: 3, text: 'How\nbig?' },
        ],
        gone: null,
        file: null,
      },
    ]);
  });

  it('is content when nothing waits', async () => {
    const rig = cliRig({ snapshot: snapshotOf([taskView()]) });
    expect(await rig.run('inbox')).toMatchObject({
      exitCode: 0,
      stdout: 'Nothing waits for you.\n',
    });
    expect((await rig.run('inbox', '--json')).rows()).toEqual([]);
  });

  it('dates a broken file by its last change', async () => {
    const rig = cliRig({
      snapshot: () => ({ ...snapshotOf([ASKING]), problems: [broken(rig.home)] }),
    });
    writeFileSync(join(rig.home, 'config.yaml'), 'x');
    const rows = (await rig.run('inbox', '--json')).rows();
    expect(rows.map((row) => row['code'])).toEqual(['question', 'broken-file']);
    expect(rows[1]?.['since']).toMatch(/^20\d\d-/);
  });

  it('steers no terminal, whatever a question holds', async () => {
    const questions = [{ number: 1, text: '\u001b[31mRed\u001b]0;x\u0007?\u202e' }];
    const view = taskView({ fields: { status: 'clarification' }, questions });
    const ran = await cliRig({ snapshot: snapshotOf([view]) }).run('inbox');
    expect(ran.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(ran.stdout).toContain('1. Red?');
  });
});

describe('without a daemon', () => {
  it('the record alone says what waits', async () => {
    using home = temporaryHome();
    const add = (fields: Partial<TaskFields>, body = '', events: readonly object[] = []) => {
      const task = { ...sampleTask({ workspace: null, tmux_session: null, ...fields }), body };
      const lines = events.map((event) => JSON.stringify(event));
      must(createTaskStore(home).create({ ...task, extensions: {} }, lines));
    };
    const timestamp = '2026-01-31T09:00:00Z';
    add({ id: 'aaaa1', branch: 'a', status: 'clarification' }, '\n## Questions\n\n1. Red?\n');
    add({ id: 'bbbb1', branch: 'b', status: 'reviewing' });
    add({ id: 'cccc1', branch: 'c', status: 'stuck' }, '', [
      { type: 'agent.crashed', timestamp, crash_count: 2, reason: 'no ## Plan', exit_status: 3 },
      { type: 'auto.advanced', timestamp, from: 'planning', to: 'stuck', reason: 'no ## Plan' },
    ]);
    add({ id: 'dddd1', branch: 'd', status: 'working' });
    const { tasks, problems, workspaces } = must(await readHome(home));
    const items = inboxOf({ tasks, problems, workspaces });
    expect(items.map(({ task, message }) => `${task ?? ''}: ${message}`)).toEqual([
      'orange/c: crashed 2 times, last with exit status 3: no ## Plan',
      'orange/a: asks: Red?',
      'orange/b: waits for your review: merge it or send it back',
    ]);
    expect(items[0]?.command).toBe('orange task update orange/c --status planning');
    expect(items[1]?.questions).toEqual([{ number: 1, text: 'Red?' }]);
  });
});

it.each([
  ['the crash that made it stuck', 'agent.crashed', 'asked for a person'],
  ['a start after that', 'agent.spawned', 'asked for a person; its agent is gone: exit status 1'],
])('without the daemon a stuck task whose history ends with %s', (_, type, message) => {
  const events = [{ type, timestamp: '2026-01-31T09:00:00Z', window: 'worker' }];
  const { fields, extensions } = OTHER;
  const facts = { questions: [], crash: 'exit status 1', events, statusOf: () => undefined };
  const task = { fields, extensions };
  const reasons = recordedReasons({ ...facts, isActive: false, task, blocking: () => [] });
  expect(reasons.map((reason) => `${reason.code}: ${reason.message}`)).toEqual([
    `stuck: ${message}`,
  ]);
});

describe('without the daemon an agent that was last seen', () => {
  const launch = 'worker-1';
  const SPAWNED = { type: 'agent.spawned', timestamp: '2026-01-31T09:00:00Z' };
  const WAITING = {
    type: 'agent.waiting',
    timestamp: '2026-01-31T09:10:00Z',
    launch,
    reason: 'Proceed? [y/N]',
  };
  const STALLED = { type: 'agent.stalled', timestamp: '2026-01-31T09:20:00Z', launch };
  const RESUMED = { type: 'agent.resumed', timestamp: '2026-01-31T09:30:00Z', launch };

  it.each([
    [
      'waiting for somebody is told of, with the time',
      [SPAWNED, WAITING],
      true,
      [['waiting-for-human', 'Proceed? [y/N]', '2026-01-31T09:10:00Z']],
    ],
    [
      'stalled is told of, but not for how long',
      [SPAWNED, STALLED],
      true,
      [['stalled', 'no sign of life from its agent when the daemon last looked', undefined]],
    ],
    ['well again is not', [SPAWNED, STALLED, RESUMED], true, []],
    ['waiting and has ended since is not', [SPAWNED, WAITING], false, []],
    ['waiting and was started again is not', [WAITING, SPAWNED], true, []],
  ])('%s', (_, events, isActive, told) => {
    const { fields, extensions } = OTHER;
    const task = { fields: { ...fields, status: 'working' as const }, extensions };
    const facts = { task, questions: [], crash: null, statusOf: () => undefined };
    const reasons = recordedReasons({ ...facts, events, isActive, blocking: () => [] });
    expect(reasons.map(({ code, message, since }) => [code, message, since])).toEqual(told);
  });
});

function broken(home: string) {
  const where = { file: join(home, 'config.yaml'), line: 1 };
  return { code: 'ORA080', severity: 'error', ...where, message: 'no YAML', fix: '' } as const;
}
