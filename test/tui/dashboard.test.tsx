import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { failed, success } from '../../src/domain/result.js';
import { FakeClient, KEYS, NOTHING, openRig } from './dashboard-rig.js';
import { manyTasks, projectView, snapshotOf, taskView } from './task-views.js';

afterEach(cleanup);

const reviewing = taskView({
  fields: { id: 'r1', branch: 'login', status: 'reviewing', review_round: 1 },
});
const pending = taskView({
  fields: { id: 'p1', branch: 'search', status: 'pending', workspace: null, tmux_session: null },
  session: 'inactive',
});
const crashed = taskView({
  fields: { id: 'c1', branch: 'cart', crash_count: 1 },
  session: 'crashed',
});
const three = snapshotOf([pending, crashed, reviewing]);

describe('the list', () => {
  it('ORA-76 shows a live session as ●', async () => {
    const { frame } = await openRig({ snapshot: snapshotOf([reviewing]) });
    expect(frame()).toContain('● [1]  shop/login');
  });

  it('ORA-77 shows a session that died as ✗', async () => {
    const { frame } = await openRig({ snapshot: snapshotOf([crashed]) });
    expect(frame()).toContain('✗ [1]  shop/cart');
    expect(frame()).toContain('crash 1/2');
  });

  it('ORA-78 shows a task without a session as ○', async () => {
    const { frame } = await openRig({ snapshot: snapshotOf([pending]) });
    expect(frame()).toMatch(/○ +shop\/search +pending/u);
  });

  it('puts what needs a person first and marks the selected row', async () => {
    const { frame } = await openRig({ snapshot: three });
    const rows = frame().split('\n').slice(2, 5);
    expect(rows[0]).toMatch(/^❯ ● \[1\] {2}shop\/login +reviewing +5m/u);
    expect(rows[1]).toMatch(/^ {2}✗ .*shop\/cart/u);
    expect(rows[2]).toMatch(/^ {2}○ .*shop\/search/u);
  });

  it('follows j, k, arrows, g and G, and several keys read at once', async () => {
    const rig = await openRig({ snapshot: snapshotOf(manyTasks(9)) });
    const selected = () => /❯ . \[1\] {2}shop\/(\S+)/u.exec(rig.frame())?.[1];
    const steps: readonly (readonly [string, string])[] = [
      ['j', 'branch-0001'],
      [KEYS.down, 'branch-0002'],
      ['k', 'branch-0001'],
      [KEYS.up, 'branch-0000'],
      ['k', 'branch-0000'],
      ['G', 'branch-0008'],
      ['j', 'branch-0008'],
      ['g', 'branch-0000'],
      ['jjj', 'branch-0003'],
    ];
    for (const [keys, branch] of steps) {
      await rig.type(keys);
      expect(selected()).toBe(branch);
    }
  });

  it('draws only the rows in sight of a long list', async () => {
    const rig = await openRig({ snapshot: snapshotOf(manyTasks(2000)) });
    await rig.type('G');
    expect(rig.frame()).toContain('branch-1999');
    expect(rig.frame()).not.toContain('branch-0000');
    expect(rig.frame().split('\n').length).toBeLessThanOrEqual(24);
  });

  it('shows a pushed change and keeps the selection on its task', async () => {
    const rig = await openRig({ snapshot: snapshotOf(manyTasks(3)) });
    await rig.type('j');
    const stuck = taskView({ fields: { id: 'task0002', branch: 'branch-0002', status: 'stuck' } });
    rig.client.push({
      tasks: [stuck],
      removed: [],
      projects: null,
      workspaces: null,
      problems: null,
    });
    const frame = await rig.waitFor('1 needs you');
    expect(frame.split('\n')[2]).toContain('branch-0002');
    expect(frame).toMatch(/❯ .*branch-0001/u);
  });

  it('ORC-42 folds the backlog until b is pressed', async () => {
    const later = taskView({
      fields: { ...pending.fields, branch: 'someday' },
      session: 'inactive',
      extensions: { queue: 'backlog' },
    });
    const rig = await openRig({ snapshot: snapshotOf([reviewing, later]) });
    expect(rig.frame()).not.toContain('someday');
    expect(rig.frame()).toContain('1 more in the backlog');
    await rig.type('b');
    expect(rig.frame()).toContain('someday');
  });

  it('tells why a task waits and what is wrong with its file', async () => {
    const problem = {
      code: 'ORA012',
      severity: 'error',
      file: '/h/TASK.md',
      line: 7,
      message: 'status is unknown',
      fix: 'use pending',
    } as const;
    const waiting = taskView({
      ...pending,
      reasons: [{ code: 'pool', message: 'every workspace is taken' }],
      problems: [problem],
    });
    const { frame } = await openRig({ snapshot: snapshotOf([waiting]) });
    expect(frame()).toContain('! every workspace is taken');
    expect(frame()).toContain('TASK.md:7 ORA012 status is unknown use pending');
  });
});

describe('the empty screen', () => {
  it('tells a newcomer without a project what to type', async () => {
    const { frame } = await openRig({ snapshot: snapshotOf([], []) });
    expect(frame()).toContain('orange project add');
    expect(frame()).toContain('? help');
  });

  it('tells a newcomer without tasks what to press', async () => {
    const { frame } = await openRig({ snapshot: snapshotOf([]) });
    expect(frame()).toContain('Press c to create one');
  });

  it('says why the daemon cannot be reached, and goes live once it can', async () => {
    const client = new FakeClient();
    client.snapshot = failed({ kind: 'daemon-unreachable', reason: 'connection refused' });
    const rig = await openRig({ client });
    expect(rig.frame()).toContain('press Enter or d to start it');
    expect(rig.frame()).toContain('daemon stopped');
    client.snapshot = success(three);
    expect(await rig.waitFor('shop/login')).toContain('live');
  });

  it('keeps the last list when the daemon goes away, and reconnects', async () => {
    const rig = await openRig({ snapshot: three });
    rig.client.snapshot = failed({ kind: 'daemon-unreachable', reason: 'no socket' });
    rig.client.close();
    expect(await rig.waitFor('daemon stopped')).toContain('shop/login');
    rig.client.snapshot = success(three);
    await rig.waitFor('  live');
  });
});

describe('filters', () => {
  it('f goes through active, inbox, queue, done and all', async () => {
    const done = taskView({
      fields: { id: 'd1', branch: 'old', status: 'done' },
      session: 'inactive',
    });
    const rig = await openRig({ snapshot: snapshotOf([reviewing, pending, done]) });
    const shown = () =>
      ['login', 'search', 'old'].filter((name) => rig.frame().includes(`shop/${name} `));
    expect(shown()).toEqual(['login', 'search']);
    await rig.type('f');
    expect(shown()).toEqual(['login']);
    await rig.type('f');
    expect(shown()).toEqual(['search']);
    await rig.type('f');
    expect(shown()).toEqual(['old']);
    await rig.type('f');
    expect(shown()).toEqual(['login', 'search', 'old']);
  });

  it('/ filters by text while it is typed, Esc takes it back', async () => {
    const rig = await openRig({ snapshot: three });
    await rig.type('/');
    await rig.type('cart');
    expect(rig.frame()).not.toContain('shop/login');
    await rig.type(KEYS.esc);
    await rig.waitFor('shop/login');
    await rig.type('/zzz');
    await rig.type(KEYS.enter);
    expect(rig.frame()).toContain('No task matches “zzz”');
  });

  it('shows one project, and all of them after a', async () => {
    const other = taskView({ fields: { id: 'o1', project: 'blog', branch: 'feed' } });
    const snapshot = snapshotOf([reviewing, other], [projectView('shop'), projectView('blog')]);
    const rig = await openRig({ snapshot, project: 'shop' });
    expect(rig.frame()).not.toContain('blog/feed');
    await rig.type('a');
    expect(rig.frame()).toContain('blog/feed');
  });
});

describe('Enter', () => {
  it('attaches where it can, starts a pending task, starts a dead agent again', async () => {
    const rig = await openRig({ snapshot: three });
    await rig.type(KEYS.enter);
    expect(rig.attached).toEqual(['shop/dark-mode']);
    await rig.type(`j${KEYS.enter}`);
    await rig.waitFor('started again shop/cart');
    await rig.type(`j${KEYS.enter}`);
    await rig.waitFor('started shop/search');
    expect(rig.client.requests).toEqual([
      { kind: 'task.respawn', taskId: 'c1' },
      { kind: 'task.spawn', taskId: 'p1', force: false },
    ]);
  });

  it('asks once, however often it is pressed while the request is under way', async () => {
    const client = new FakeClient();
    client.answer = () => new Promise(() => undefined);
    const rig = await openRig({ client, snapshot: snapshotOf([pending]) });
    await rig.type('\r\r\r');
    expect(client.requests).toHaveLength(1);
    expect(rig.frame()).toContain('starting shop/search');
  });
});

describe('the create form', () => {
  it('sends branch, summary and harness as typed and edited', async () => {
    const rig = await openRig({ snapshot: snapshotOf([]) });
    await rig.type('c');
    expect(rig.frame()).toContain('New task in shop');
    await rig.type('fix/loginn');
    await rig.type(KEYS.left);
    await rig.type(KEYS.backspace);
    await rig.type(KEYS.enter);
    await rig.type('Mend the q login');
    await rig.type(KEYS.tab);
    await rig.type('codex');
    expect(rig.frame()).toMatch(/branch +fix\/login\n/u);
    await rig.type(KEYS.enter);
    await rig.waitFor('created shop/fix/login');
    expect(rig.client.requests).toMatchObject([
      {
        kind: 'task.create',
        project: 'shop',
        branch: 'fix/login',
        summary: 'Mend the q login',
        harness: 'codex',
      },
    ]);
  });

  it('lets the project be chosen when there are several', async () => {
    const snapshot = snapshotOf([], [projectView('shop'), projectView('blog')]);
    const rig = await openRig({ snapshot, project: 'shop' });
    await rig.type('c');
    await rig.type(KEYS.up);
    await rig.type('\u001B[C');
    expect(rig.frame()).toContain('‹ blog ›');
  });

  it('Esc leaves without creating', async () => {
    const rig = await openRig({ snapshot: snapshotOf([]) });
    await rig.type('c');
    await rig.type('abc');
    await rig.type(KEYS.esc);
    await rig.waitFor('No tasks yet');
    expect(rig.client.requests).toEqual([]);
  });

  it('comes back with what was typed when the daemon refuses', async () => {
    const client = new FakeClient();
    client.answer = () =>
      Promise.resolve(failed({ kind: 'branch-invalid', branch: 'a..b', rule: 'no two dots' }));
    const rig = await openRig({ client, snapshot: snapshotOf([]) });
    await rig.type('c');
    await rig.type('a..b\tdo it\r');
    const frame = await rig.waitFor('New task');
    expect(frame).toContain('a..b');
    expect(frame).toContain('do it');
    expect(frame).toContain('no two dots');
  });

  it('selects the task it made', async () => {
    const client = new FakeClient();
    const made = taskView({ fields: { id: 'new1', branch: 'new' } });
    client.answer = () => Promise.resolve(success({ ...NOTHING, task: made }));
    const rig = await openRig({ client, snapshot: snapshotOf(manyTasks(3)) });
    await rig.type('c');
    await rig.type('new\rDo it\r');
    client.push({ tasks: [made], removed: [], projects: null, workspaces: null, problems: null });
    await rig.waitFor('❯ ● [1]  shop/new');
  });
});

describe('questions', () => {
  it('cancel asks first and n keeps the task', async () => {
    const rig = await openRig({ snapshot: snapshotOf([reviewing]) });
    await rig.type('x');
    expect(rig.frame()).toContain('Cancel shop/login?');
    expect(rig.frame()).toMatch(/Its branch stays, uncommitted work\s+is kept/);
    await rig.type('n');
    expect(rig.frame()).not.toContain('Cancel shop/login?');
    expect(rig.client.requests).toEqual([]);
    await rig.type('xy');
    expect(rig.client.requests).toEqual([{ kind: 'task.cancel', taskId: 'r1', reason: null }]);
  });

  it('merge shows base and strategy, and Tab changes the strategy', async () => {
    const rig = await openRig({ snapshot: snapshotOf([reviewing]) });
    await rig.type('m');
    expect(rig.frame()).toContain('Merge shop/login into main?');
    expect(rig.frame()).toContain('strategy: squash');
    await rig.type('\t');
    expect(rig.frame()).toContain('strategy: preserve');
    await rig.type('y');
    await rig.waitFor('merged shop/login');
    expect(rig.client.requests).toMatchObject([
      { kind: 'task.merge', taskId: 'r1', strategy: 'preserve' },
    ]);
  });

  it('a key the task does not allow asks nothing and says so', async () => {
    const rig = await openRig({ snapshot: snapshotOf([pending]) });
    await rig.type('m');
    expect(rig.frame()).toContain('shop/search is pending: it cannot be merged now');
  });
});

describe('reading', () => {
  it('v shows TASK.md cleaned, and scrolls', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const rig = await openRig({ snapshot: three, taskFile: `\u001B[2Jhidden\u0007 top\n${lines}` });
    await rig.type('v');
    const frame = await rig.waitFor('hidden top');
    expect(frame).not.toContain('\u001B[2J');
    await rig.type('G');
    expect(rig.frame()).toContain('line 59');
    await rig.type('k');
    expect(rig.frame()).not.toContain('line 59');
    await rig.type('q');
    expect(rig.frame()).toContain('shop/login');
  });

  it('p shows the end of the agent’s screen', async () => {
    const client = new FakeClient();
    client.screen = Array.from({ length: 50 }, (_, index) => `out ${index}`);
    const rig = await openRig({ client, snapshot: three });
    await rig.type('p');
    expect(await rig.waitFor('out 49')).not.toContain('out 0\n');
  });

  it('? shows the help and Esc closes it', async () => {
    const rig = await openRig({ snapshot: three });
    await rig.type('?');
    expect(rig.frame()).toContain('view what the task has changed');
    await rig.type(KEYS.esc);
    await rig.waitFor('shop/login');
  });
});

describe('messages', () => {
  it('shows a refusal with its hint, and Esc puts it away', async () => {
    const client = new FakeClient();
    client.answer = () =>
      Promise.resolve(failed({ kind: 'pool-exhausted', project: 'shop', size: 2 }));
    const rig = await openRig({ client, snapshot: snapshotOf([pending]) });
    await rig.type(KEYS.enter);
    expect(await rig.waitFor('are taken')).toContain('orange project update');
    await rig.type(KEYS.esc);
    expect(rig.frame()).not.toContain('are taken');
  });

  it('q and Ctrl-C quit, in a text field only Ctrl-C', async () => {
    const rig = await openRig({ snapshot: three });
    await rig.type('q');
    await rig.type('\u0003');
    expect(rig.quits.count).toBe(2);
    await rig.type('c');
    await rig.type('q');
    expect(rig.quits.count).toBe(2);
    await rig.type('\u0003');
    expect(rig.quits.count).toBe(3);
  });

  it('pasted text runs no commands, and its line breaks do not submit', async () => {
    const rig = await openRig({ snapshot: three });
    await rig.type('\u001B[200~xy\rq\u001B[201~');
    expect(rig.client.requests).toEqual([]);
    expect(rig.quits.count).toBe(0);
    await rig.type('c');
    await rig.type('\u001B[200~two\nlines\u001B[201~');
    expect(rig.frame()).toContain('two lines');
    expect(rig.client.requests).toEqual([]);
  });
});
