import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LockView } from '../../src/domain/lock.js';
import { createPaths } from '../../src/record/paths.js';
import { outcome } from '../fakes/fake-client.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const LOGIN = taskView({ fields: { id: 'login', branch: 'login', status: 'working' } });
const snapshot = snapshotOf([LOGIN]);

const PLAN: LockView = {
  id: 'login',
  kind: 'plan',
  project: 'shop',
  task_id: 'login',
  holder: 'shop/login',
  status: 'working',
  paths: ['src/auth', 'docs/*.md'],
  since: '2026-01-02T11:00:00Z',
  expires_at: '2026-01-02T11:30:00Z',
  overlaps: [
    {
      id: 'lock-pat1',
      task_id: null,
      holder: 'Pat',
      paths: ['src/auth', 'docs'],
      held: ['src/auth/login.ts', 'docs'],
    },
  ],
  drift: 2,
};
const MANUAL: LockView = {
  ...PLAN,
  id: 'lock-pat1',
  kind: 'manual',
  task_id: null,
  holder: 'Pat',
  status: null,
  paths: ['src/auth/login.ts'],
  overlaps: [],
  drift: 0,
};
const OTHER: LockView = { ...MANUAL, id: 'lock-kim1', project: 'depot', holder: 'Kim\u001B[31m' };

function lockRig(locks: readonly LockView[] = [PLAN, MANUAL, OTHER]) {
  const rig = cliRig({ snapshot });
  rig.client.answers.locks = locks;
  return rig;
}

describe('orange locks list', () => {
  it('has a row for each who holds something in the project, and who is in whose way', async () => {
    const rig = lockRig();
    const json = await rig.run('locks', 'list', '--project', 'shop', '--json');
    expect([json.exitCode, json.json()]).toEqual([0, [PLAN, MANUAL]]);
    const lines = (await rig.run('locks', 'list', '--project', 'shop')).stdout
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^plan +shop\/login +working +! Pat +src\/auth, docs\/\*\.md/);
    expect(lines[1]).toMatch(/^lock-pat1 +Pat +src\/auth\/login\.ts/);
  });

  it('has those of every project with --all, without what would steer a terminal', async () => {
    const shown = await lockRig().run('locks', 'list', '--all');
    expect(shown.stdout).toContain('lock-kim1');
    expect(shown.stdout).not.toContain('\u001B');
  });

  it('says so where nothing is reserved', async () => {
    const shown = await lockRig([]).run('locks', 'list', '--all');
    expect(shown).toMatchObject({ exitCode: 0, stdout: 'Nothing is reserved.\n' });
  });

  it('reads the record where no daemon runs', async () => {
    const rig = cliRig({ snapshot, isDaemonUp: false });
    const file = createPaths(rig.home).reservationsFile;
    mkdirSync(dirname(file), { recursive: true });
    const granted = {
      type: 'reservation.granted',
      timestamp: '2026-01-02T11:00:00Z',
      id: 'lock-pat1',
      project: 'shop',
      paths: ['src/'],
      name: 'Pat',
    };
    const ofPlan = { ...granted, id: undefined, name: undefined, task_id: 'login' };
    writeFileSync(file, `${JSON.stringify(granted)}\n${JSON.stringify(ofPlan)}\n`);
    const rows = (await rig.run('locks', 'list', '--all', '--json')).rows();
    expect(rows).toMatchObject([
      { id: 'lock-pat1', kind: 'manual', holder: 'Pat', paths: ['src/'] },
    ]);
  });
});

describe('orange locks check', () => {
  it('asks who holds something of these paths, and tells what was asked for and what is held', async () => {
    const rig = lockRig();
    rig.client.answers['check-locks'] = PLAN.overlaps;
    const shown = await rig.run('locks', 'check', 'src/auth/', '--project', 'shop');
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: '! Pat (lock-pat1): src/auth (holds src/auth/login.ts), docs\n',
    });
    expect(rig.client.asked.at(-1)).toEqual({
      method: 'check-locks',
      project: 'shop',
      taskId: null,
      paths: ['src/auth/'],
    });
  });

  it('asks for a task, which is not in its own way', async () => {
    const rig = lockRig();
    const shown = await rig.run('locks', 'check', '--task', 'shop/login', '--json');
    expect([shown.exitCode, shown.json()]).toEqual([0, []]);
    expect(rig.client.asked.at(-1)).toMatchObject({ taskId: 'login', project: 'shop', paths: [] });
    expect((await rig.run('locks', 'check', '-t', 'login')).stdout).toContain('Nobody holds');
  });

  it('needs paths or a task', async () => {
    expect(await lockRig().run('locks', 'check')).toMatchObject({ exitCode: 2 });
    expect(await lockRig().run('locks', 'check', '-t', 'nobody')).toMatchObject({ exitCode: 3 });
  });
});

describe('orange locks reserve', () => {
  it.each([
    ['--for Pat', { taskId: null, name: 'Pat', ttlMinutes: null }],
    ['--for Pat --ttl 0', { taskId: null, name: 'Pat', ttlMinutes: 0 }],
    ['--task login', { taskId: 'login', name: null, ttlMinutes: null }],
  ])('%s', async (words, request) => {
    const rig = cliRig({
      snapshot,
      answer: () => outcome({ lock: { ...MANUAL, overlaps: PLAN.overlaps } }),
    });
    const ran = await rig.run('locks', 'reserve', 'src/ui/', '-p', 'shop', ...words.split(' '));
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: 'Reserved for Pat: src/auth/login.ts (lock-pat1).\n',
    });
    expect(ran.stderr).toContain('Pat (lock-pat1): src/auth');
    expect(rig.client.requests[0]?.request).toEqual({
      kind: 'lock.reserve',
      project: 'shop',
      paths: ['src/ui/'],
      ...request,
    });
  });

  it('is for one task or for one person', async () => {
    const rig = lockRig();
    expect(await rig.run('locks', 'reserve', 'a')).toMatchObject({ exitCode: 2 });
    const both = await rig.run('locks', 'reserve', 'a', '--for', 'Pat', '--task', 'login');
    expect([both.exitCode, rig.client.requests]).toEqual([2, []]);
  });
});

describe('orange locks release', () => {
  it('lets go of reservations by their ids', async () => {
    const rig = lockRig();
    const ran = await rig.run('locks', 'release', 'lock-pat1', 'lock-kim1', '--json');
    expect([ran.exitCode, ran.json()]).toEqual([0, { released: ['lock-pat1', 'lock-kim1'] }]);
    expect(rig.client.requests.map(({ request }) => request)).toEqual([
      { kind: 'lock.release', id: 'lock-pat1' },
      { kind: 'lock.release', id: 'lock-kim1' },
    ]);
  });

  it('takes from a task what its plan holds', async () => {
    const rig = lockRig();
    const ran = await rig.run('locks', 'release', '--task', 'shop/login');
    expect(ran.stdout).toContain('Released what');
    expect(rig.client.requests[0]?.request).toEqual({ kind: 'task.unlock', taskId: 'login' });
  });

  it.each([['release'], ['release login'], ['release lock-pat1 shop/login']])(
    '%s is no good, and nothing is let go of',
    async (words) => {
      const rig = lockRig();
      const ran = await rig.run('locks', ...words.split(' '));
      expect([ran.exitCode, rig.client.requests]).toEqual([2, []]);
    },
  );

  it('passes on that there is no such reservation', async () => {
    const rig = cliRig({
      snapshot,
      answer: () => ({ kind: 'not-found', what: 'reservation', name: 'lock-gone' }),
    });
    expect(await rig.run('locks', 'release', 'lock-gone')).toMatchObject({ exitCode: 3 });
  });
});
