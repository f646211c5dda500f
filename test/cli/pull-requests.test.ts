import { describe, expect, it } from 'vitest';
import { recordedReasons } from '../../src/cli/recorded-reasons.js';
import { formatTaskFields } from '../../src/cli/format-task.js';
import { NOW, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const URL = 'https://github.com/acme/shop/pull/7';
const OPEN = taskView({
  fields: { id: 'open', branch: 'open', pr_url: URL, status: 'reviewing' },
  extensions: { pr_state: 'open', pr_checks: 'failing' },
});
const PLAIN = taskView({ fields: { id: 'plain', branch: 'plain' } });
const OVER = taskView({ fields: { id: 'over', branch: 'over', pr_url: URL, status: 'done' } });
const snapshot = snapshotOf([OPEN, PLAIN, OVER]);

describe('orange pr', () => {
  it('create sends what is to be opened, the body from standard input too', async () => {
    const rig = cliRig({ snapshot, stdin: 'Two\nlines\n' });
    const words = ['--draft', '--title', 'T', '--body', '-', '--base', 'next'];
    expect(await rig.run('pr', 'create', 'shop/plain', ...words)).toMatchObject({ exitCode: 0 });
    expect(rig.client.requests[0]?.request).toEqual({
      kind: 'task.pr-create',
      taskId: 'plain',
      isDraft: true,
      title: 'T',
      body: 'Two\nlines',
      base: 'next',
    });
  });

  it('open prints the address, and says what to do when there is none', async () => {
    const rig = cliRig({ snapshot });
    expect(await rig.run('pr', 'open', 'shop/open')).toMatchObject({ stdout: `${URL}\n` });
    expect((await rig.run('pr', 'open', 'shop/open', '--json')).json()).toEqual({ url: URL });
    const none = await rig.run('pr', 'open', 'shop/plain');
    expect(none.exitCode).toBe(1);
    expect(none.stderr).toContain('orange pr create shop/plain');
  });

  it('sync --all asks about unfinished tasks with a pull request only', async () => {
    const rig = cliRig({ snapshot });
    expect(await rig.run('pr', 'sync', '--all')).toMatchObject({ exitCode: 0 });
    expect(rig.client.requests.map(({ request }) => request)).toEqual([
      { kind: 'task.pr-sync', taskId: 'open' },
    ]);
    expect(await rig.run('pr', 'sync', 'shop/open', '--all')).toMatchObject({ exitCode: 2 });
  });

  it.each([
    ['--send', 'send'],
    ['--dismiss', 'dismiss'],
  ])('feedback %s', async (option, decision) => {
    const rig = cliRig({ snapshot });
    expect(await rig.run('pr', 'feedback', 'shop/open', option)).toMatchObject({ exitCode: 0 });
    expect(rig.client.requests[0]?.request).toEqual({
      kind: 'task.pr-feedback',
      taskId: 'open',
      decision,
    });
  });

  it('feedback without gh says so in one line', async () => {
    const rig = cliRig({ snapshot, env: { PATH: '/nowhere' } });
    const shown = await rig.run('pr', 'feedback', 'shop/open', '--json');
    expect(shown.exitCode).toBe(1);
    expect(shown.json()).toMatchObject({ error: { code: 'github-unavailable' } });
  });
});

it.each([
  ['working', ['pr-closed-with-commits']],
  ['cancelled', []],
] as const)(
  'without the daemon a closed pull request of a task in %s leads to %j',
  (status, codes) => {
    const task = { fields: { ...OPEN.fields, status }, extensions: { pr_state: 'closed' } };
    const facts = { task, questions: [], crash: null, events: [], statusOf: () => undefined };
    const reasons = recordedReasons({ ...facts, isActive: false, blocking: () => [] });
    expect(reasons.map(({ code }) => code)).toEqual(codes);
  },
);

it('list tells how risky a merge is, once that is known', async () => {
  const found = {
    action: 'careful-review',
    files: 20,
    lines: 9,
    conflicts: 2,
    conflicting: [],
    behind: 0,
  };
  const finalized = { ready: false, risk: 'High', ...found, head: 'a'.repeat(40) } as const;
  const rig = cliRig({ snapshot: snapshotOf([{ ...OPEN, finalized }]) });
  const { stdout } = await rig.run('task', 'list', '--all');
  expect(stdout).toContain('[risk High ✗] [#7 open ✗]');
});

it('list and show tell how the pull request stands', async () => {
  const rig = cliRig({ snapshot });
  expect((await rig.run('task', 'list', '--all')).stdout).toContain('[#7 open ✗] Add a dark');
  const shown = formatTaskFields(OPEN, { nowMs: NOW, tasks: [OPEN] });
  expect(shown).toContain(`${URL} (open, checks failing)`);
  expect(shown).not.toContain('pr_state');
});
