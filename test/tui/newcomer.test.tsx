import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { failed, success } from '../../src/domain/result.js';
import { FakeClient, KEYS, NOTHING, openRig } from './dashboard-rig.js';
import { projectView, snapshotOf, taskView } from './task-views.js';

afterEach(cleanup);

const UNREACHABLE = failed({ kind: 'daemon-unreachable', reason: 'ENOENT' });
const working = taskView({ fields: { id: 'w1', branch: 'cart' } });
const pending = taskView({
  fields: { id: 'p1', branch: 'search', status: 'pending', workspace: null, tmux_session: null },
  session: 'inactive',
});
const reviewing = taskView({
  fields: { id: 'r1', branch: 'login', status: 'reviewing' },
  actions: ['attach', 'send', 'respawn', 'review', 'merge', 'cancel'],
});

describe('texts that are read', () => {
  it('keep their blank lines', async () => {
    const client = new FakeClient();
    client.screen = ['first', '', '', 'last'];
    const rig = await openRig({
      client,
      snapshot: snapshotOf([working]),
      taskFile: 'title\n\nbody',
    });
    await rig.type('v');
    expect(await rig.waitFor('body')).toMatch(/title *\n *\nbody/u);
    await rig.type('q');
    await rig.type('p');
    expect(await rig.waitFor('last')).toMatch(/first *\n *\n *\nlast/u);
  });
});

describe('the create form', () => {
  it('sends a context of several lines and the reviewer', async () => {
    const rig = await openRig({ snapshot: snapshotOf([]) });
    await rig.type('c');
    await rig.type('fix\tDo it\tcodex\t');
    expect(rig.frame()).toContain('empty: claude');
    await rig.type('pi\t');
    await rig.type('one');
    await rig.type('\n');
    await rig.type('two');
    await rig.type('\u001B\r');
    await rig.type('\u001B[200~three\nfour\u001B[201~');
    expect(rig.frame()).toContain('one↵two↵three↵four');
    expect(rig.frame()).toMatch(/review by {1,}pi/u);
    await rig.type(KEYS.enter);
    await rig.waitFor('created shop/fix');
    expect(rig.client.requests).toMatchObject([
      { harness: 'codex', reviewHarness: 'pi', context: 'one\ntwo\nthree\nfour' },
    ]);
  });

  it('says why it stays when there is no summary', async () => {
    const rig = await openRig({ snapshot: snapshotOf([]) });
    await rig.type('c');
    await rig.type('fix\r');
    expect(rig.frame()).toContain('Say in the summary what is to be done');
    await rig.type('\r');
    expect(rig.frame()).toContain('New task in shop');
    expect(rig.client.requests).toEqual([]);
  });

  it('takes its error along when Esc closes it', async () => {
    const client = new FakeClient();
    client.answer = () =>
      Promise.resolve(failed({ kind: 'branch-invalid', branch: 'a..b', rule: 'no two dots' }));
    const rig = await openRig({ client, snapshot: snapshotOf([]) });
    await rig.type('c');
    await rig.type('a..b\tdo it\r');
    await rig.waitFor('no two dots');
    await rig.type(KEYS.esc);
    expect(await rig.waitFor('No tasks yet')).not.toContain('no two dots');
  });

  it('in a repository that is not registered says so and leaves the choice of project', async () => {
    const rig = await openRig({ snapshot: snapshotOf([working]), unregistered: '/repos/new' });
    expect(rig.frame()).toContain('orange project add');
    await rig.type('c');
    expect(rig.frame()).toContain('/repos/new is not registered');
    expect(rig.frame()).toContain('orange project add');
    expect(rig.frame()).not.toContain('New task in shop');
    await rig.type('\t');
    await rig.type('fix\tDo it\r');
    expect(rig.frame()).toContain('Choose the project first');
    expect(rig.client.requests).toEqual([]);
    await rig.type('\u001B[C');
    expect(rig.frame()).toContain('New task in shop');
    await rig.type(KEYS.enter);
    expect(rig.client.requests).toMatchObject([{ project: 'shop', branch: 'fix' }]);
  });

  it('goes from the chosen project on to the branch', async () => {
    const rig = await openRig({ snapshot: snapshotOf([working]), unregistered: '/repos/new' });
    await rig.type('c');
    await rig.type('\u001B[C');
    await rig.type(KEYS.enter);
    expect(rig.frame()).toMatch(/❯ branch/u);
  });

  it('knows the repository once it is registered', async () => {
    const projects = [projectView('shop'), projectView('new')];
    const rig = await openRig({ snapshot: snapshotOf([], projects), unregistered: '/repos/new' });
    expect(rig.frame()).not.toContain('not registered');
    await rig.type('c');
    expect(rig.frame()).toContain('New task in new');
  });

  it('is not offered while there is no project', async () => {
    const rig = await openRig({ snapshot: snapshotOf([], []), unregistered: '/repos/new' });
    expect(rig.frame()).not.toContain('c create');
    await rig.type('c');
    expect(rig.frame()).toContain('no project is registered yet');
    expect(rig.frame().match(/not registered/gu)).toBeNull();
  });
});

describe('sending back', () => {
  it('asks for the text and sends a reviewed task back with it', async () => {
    const rig = await openRig({ snapshot: snapshotOf([reviewing]), columns: 120 });
    expect(rig.frame()).toContain('r send back');
    await rig.type('r');
    expect(rig.frame()).toContain('send back:');
    await rig.type('\r');
    expect(rig.frame()).toContain('send back:');
    await rig.type('mend the tests\r');
    await rig.waitFor('sent back shop/login');
    expect(rig.client.requests).toEqual([
      { kind: 'task.review', taskId: 'r1', verdict: 'FAIL', text: 'mend the tests' },
    ]);
  });

  it('is a failed review while an agent reviews, and refused elsewhere', async () => {
    const inReview = taskView({ fields: { id: 'a1', branch: 'cart', status: 'agent-review' } });
    const rig = await openRig({ snapshot: snapshotOf([inReview]), columns: 120 });
    expect(rig.frame()).toContain('r fail review');
    await rig.type('rno tests\r');
    await rig.waitFor('failed the review of shop/cart');
    const other = await openRig({ snapshot: snapshotOf([working]), columns: 120 });
    await other.type('r');
    expect(other.frame()).toContain('there is nothing to send back');
  });

  it('r brings a stuck task back to work with a message', async () => {
    const stuck = taskView({ fields: { id: 'id-stuck', branch: 'jam', status: 'stuck' } });
    const rig = await openRig({ snapshot: snapshotOf([stuck]), columns: 120 });
    expect(rig.frame()).toContain('r send back');
    await rig.type('r');
    await rig.type('Try the other door');
    await rig.type(KEYS.enter);
    await rig.waitFor('sent back shop/jam');
    expect(rig.client.requests).toEqual([
      { kind: 'task.request-changes', taskId: 'id-stuck', text: 'Try the other door' },
    ]);
  });

  it('a stuck task whose agent is started again says what brings it back', async () => {
    const stuck = taskView({
      fields: { id: 'id-stuck', branch: 'jam', status: 'stuck' },
      session: 'crashed',
    });
    const client = new FakeClient();
    client.answer = () => Promise.resolve(success({ ...NOTHING, task: stuck }));
    const rig = await openRig({ client, snapshot: snapshotOf([stuck]), columns: 120 });
    await rig.type(KEYS.enter);
    await rig.waitFor('started again shop/jam');
    expect(rig.frame()).toContain('it stays stuck until you bring it back with r');
  });
});

describe('looking at an agent that has ended', () => {
  const ended = taskView({ fields: { branch: 'jam', status: 'stuck' }, session: 'crashed' });

  it('p shows what was last on its screen, and where that is kept', async () => {
    const lastScreen = { file: '/h/transcripts/worker-1.txt', lines: ['fatal: no\u001B[31m key'] };
    const rig = await openRig({ snapshot: snapshotOf([ended]), lastScreen, columns: 120 });
    expect(rig.frame()).toContain('p peek');
    await rig.type('p');
    const frame = await rig.waitFor('fatal: no key');
    expect(frame).toContain('Last screen of shop/jam: its agent has ended');
    expect(frame).toContain('/h/transcripts/worker-1.txt');
  });

  it('p says so where nothing is kept', async () => {
    const rig = await openRig({ snapshot: snapshotOf([ended]), columns: 120 });
    await rig.type('p');
    await rig.waitFor('no screen of one is kept');
  });
});

describe('a daemon that has stopped', () => {
  it('is not started until the person asks', async () => {
    const rig = await openRig({ snapshot: snapshotOf([working]) });
    rig.client.snapshot = UNREACHABLE;
    rig.client.close();
    const notice = 'the daemon has stopped; press Enter or d to start it';
    expect(await rig.waitFor(notice)).toContain('shop/cart');
    expect(rig.frame()).toContain('⏎ start daemon');
    expect(rig.client.starts).toBe(0);
    rig.client.start = () => {
      rig.client.snapshot = success(snapshotOf([working]));
      return Promise.resolve(success(null));
    };
    await rig.type(KEYS.enter);
    expect(rig.client.starts).toBe(1);
    expect(rig.attached).toEqual([]);
    expect(await rig.waitFor('  live')).not.toContain(notice);
  });

  it('tells a daemon that does not answer from one that has stopped', async () => {
    const client = new FakeClient();
    const reason = 'no-greeting-in-time';
    client.snapshot = failed({ kind: 'daemon-unreachable', reason, pid: 77 });
    const rig = await openRig({ client });
    expect(rig.frame()).toContain('the daemon (pid 77) does not answer');
    expect(rig.frame()).toContain('daemon silent');
    expect(rig.frame()).not.toContain('d to start it');
  });

  it('says why it could not be started with d', async () => {
    const client = new FakeClient();
    client.snapshot = UNREACHABLE;
    client.start = () => Promise.resolve(failed({ kind: 'daemon-unreachable', reason: 'no disk' }));
    const rig = await openRig({ client });
    await rig.waitFor('press Enter or d to start it');
    await rig.type('d');
    await rig.waitFor('no disk');
  });

  it('is left alone by d while it runs', async () => {
    const rig = await openRig({ snapshot: snapshotOf([working]) });
    await rig.type('d');
    expect(rig.client.starts).toBe(0);
    expect(rig.frame()).toContain('the daemon is running');
  });
});

describe('a task that cannot start yet', () => {
  it('is told as queued, with the reason', async () => {
    const client = new FakeClient();
    const reasons = [{ code: 'pool-full', message: 'every workspace is taken' }];
    client.answer = () => Promise.resolve(success({ ...NOTHING, task: { ...pending, reasons } }));
    const rig = await openRig({ client, snapshot: snapshotOf([pending]) });
    await rig.type(KEYS.enter);
    const frame = await rig.waitFor('queued shop/search');
    expect(frame).toContain('every workspace is taken');
    expect(frame).not.toContain('started');
  });
});

describe('the help', () => {
  it('closes with ?, starts with the motions and can be read at 40 columns', async () => {
    const rig = await openRig({ snapshot: snapshotOf([working]), columns: 40 });
    await rig.type('?');
    expect(rig.frame()).toMatch(/j ↓ +down/u);
    expect(rig.frame().replace(/\s+/gu, ' ')).toContain('attach, start or restart it');
    await rig.type('?');
    expect(rig.frame()).toContain('cart');
  });
});

describe('questions', () => {
  it('show their keys once and the strategy by its name', async () => {
    const rig = await openRig({ snapshot: snapshotOf([reviewing]) });
    await rig.type('m');
    expect(rig.frame().match(/y yes/gu)).toHaveLength(1);
    expect(rig.frame()).toContain('strategy: squash');
    await rig.type('\t');
    expect(rig.frame()).toContain('strategy: preserve');
  });
});
