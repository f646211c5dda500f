import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { failed } from '../../src/domain/result.js';
import { FakeClient, KEYS, openRig } from './dashboard-rig.js';
import { snapshotOf, taskView, waitingTask } from './task-views.js';

afterEach(cleanup);

const login = taskView({ fields: { id: 'id-login', branch: 'login' } });
const full = waitingTask('search', [{ code: 'pool-full', message: 'all 2 worktrees are in use' }]);
const blocked = waitingTask(
  'cart',
  [{ code: 'blocked', message: 'blocked by id-login (working)' }],
  { priority: 'critical' },
);
const held = waitingTask('export', [{ code: 'held', message: 'held: by hand' }], {
  hold: 'by hand',
});
const next = waitingTask('next');

const SNAPSHOT = {
  ...snapshotOf([full, held, login, next, blocked]),
  queue: ['id-cart', 'id-search', 'id-export', 'id-next'],
};

function rowsOf(frame: string): readonly string[] {
  return frame.split('\n').filter((line) => /[\d–] +\S+ +(?:critical|normal) /u.test(line));
}

describe('the queue', () => {
  it('lists every waiting task in the order of the daemon, each with its reason', async () => {
    const rig = await openRig({ snapshot: SNAPSHOT });
    await rig.type('Q');
    expect(rowsOf(rig.frame())).toEqual([
      expect.stringMatching(/^❯ 1 +cart +critical +5m +blocked by login$/u),
      expect.stringMatching(/^ {2}2 +search +normal +5m +pool full$/u),
      expect.stringMatching(/^ {2}3 +export +normal +5m +held: by hand$/u),
      expect.stringMatching(/^ {2}4 +next +normal +5m +starts now$/u),
    ]);
    expect(rig.frame()).toContain('filter: queue');
    await rig.type('Q');
    expect(rig.frame()).toContain('filter: active');
  });

  it('has a whole title over names that are shorter than it', async () => {
    const rig = await openRig({ snapshot: snapshotOf([waitingTask('w1'), waitingTask('w2')]) });
    await rig.type('Q');
    expect(rig.frame()).toMatch(/# +task +priority/u);
  });

  it('follows the daemon when the order changes', async () => {
    const rig = await openRig({ snapshot: SNAPSHOT });
    await rig.type('Qjk');
    rig.client.push({
      tasks: [],
      removed: [],
      projects: null,
      workspaces: null,
      problems: null,
      queue: ['id-next', 'id-cart', 'id-search', 'id-export'],
    });
    await rig.waitFor('1   next');
    expect(rowsOf(rig.frame())[1]).toMatch(/^❯ 2 +cart/u);
  });

  it('keeps the backlog folded and out of the line', async () => {
    const later = waitingTask('someday', [{ code: 'backlog', message: 'in the backlog' }], {
      queue: 'backlog',
    });
    const rig = await openRig({ snapshot: snapshotOf([later, full]) });
    await rig.type('Q');
    expect(rowsOf(rig.frame())).toEqual([expect.stringMatching(/1 +search/u)]);
    expect(rig.frame()).toContain('1 more in the backlog');
    await rig.type('b');
    expect(rowsOf(rig.frame())[0]).toMatch(/– +someday +normal +5m +backlog/u);
    expect(rowsOf(rig.frame())[1]).toMatch(/1 +search/u);
  });

  it('names the project where there is room, or where there are several', async () => {
    const wide = await openRig({ snapshot: SNAPSHOT, columns: 120 });
    await wide.type('Q');
    expect(wide.frame()).toMatch(/2 +shop\/search +normal/u);
    const api = taskView({ ...full, fields: { ...full.fields, id: 'id-api', project: 'api' } });
    const both = await openRig({ snapshot: snapshotOf([full, api]) });
    await both.type('Q');
    expect(both.frame()).toMatch(/2 +api\/search +normal/u);
  });

  it('keeps the selected task selected, there and back', async () => {
    const rig = await openRig({ snapshot: SNAPSHOT });
    await rig.type('G');
    expect(rig.frame()).toMatch(/❯ ○ +shop\/next/u);
    await rig.type('Q');
    expect(rig.frame()).toMatch(/❯ 4 +next/u);
    await rig.type('kQ');
    expect(rig.frame()).toMatch(/❯ ○ +shop\/export/u);
  });

  it('says that nothing waits', async () => {
    const rig = await openRig({ snapshot: snapshotOf([login]) });
    await rig.type('Q');
    expect(rig.frame()).toContain('Nothing waits to be started.');
  });

  it.each([
    [200, 50],
    [80, 24],
    [50, 14],
    [20, 6],
    [1, 1],
  ])('fits %i columns and %i rows', async (columns, rows) => {
    const hostile = waitingTask('evil', [
      { code: 'held', message: `held: \u001B[31m${'long words '.repeat(40)}\u0007\n` },
      { code: 'pool-full', message: 'full' },
    ]);
    const rig = await openRig({ snapshot: snapshotOf([hostile, full]), columns, rows });
    await rig.type('Q');
    const lines = rig.frame().split('\n');
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(columns);
      expect(line).not.toContain('\u0007');
      expect(line).not.toContain('\u001B[31m');
    }
  });
});

describe('steering the queue', () => {
  it('h holds a pending task without asking, and H releases it', async () => {
    const rig = await openRig({ snapshot: snapshotOf([full]) });
    expect(rig.frame()).toContain('h hold');
    expect(rig.frame()).not.toContain('H release');
    await rig.type('h');
    await rig.waitFor('held shop/search');
    const now = waitingTask('search', held.reasons, held.extensions);
    rig.client.push({
      tasks: [now],
      removed: [],
      projects: null,
      workspaces: null,
      problems: null,
    });
    expect(await rig.waitFor('H release')).not.toContain('h hold');
    await rig.type('H');
    await rig.waitFor('released shop/search');
    expect(rig.client.requests).toEqual([
      { kind: 'task.hold', taskId: 'id-search', reason: 'by hand' },
      { kind: 'task.release', taskId: 'id-search' },
    ]);
  });

  it('never overwrites why a task is held, and says when there is nothing to release', async () => {
    const rig = await openRig({ snapshot: snapshotOf([held, login, full]) });
    await rig.type('j');
    await rig.type('h');
    expect(rig.frame()).toContain('shop/export is held already: by hand');
    await rig.type('jH');
    expect(rig.frame()).toContain('shop/search is not held');
    await rig.type('gh');
    expect(rig.frame()).toContain('shop/login is working: only a pending task can be held');
    expect(rig.client.requests).toEqual([]);
  });

  it('w asks before it puts a running task back into the queue', async () => {
    const rig = await openRig({ snapshot: snapshotOf([login]) });
    await rig.type('w');
    expect(rig.frame()).toContain('Put shop/login back into the queue?');
    await rig.type('n');
    expect(rig.client.requests).toEqual([]);
    await rig.type('w');
    await rig.type('y');
    await rig.waitFor('requeued shop/login');
    expect(rig.client.requests).toEqual([{ kind: 'task.requeue', taskId: 'id-login', hold: null }]);
  });

  it('shows a refusal where every failure is shown', async () => {
    const client = new FakeClient();
    client.answer = () =>
      Promise.resolve(failed({ kind: 'daemon-unreachable', reason: 'ECONNREFUSED' }));
    const rig = await openRig({ client, snapshot: snapshotOf([full]) });
    await rig.type('h');
    await rig.waitFor('daemon');
    expect(rig.frame()).not.toContain('held shop/search');
    await rig.type('wx');
    expect(rig.frame()).toContain('Cancel shop/search?');
    await rig.type(KEYS.esc);
  });
});
