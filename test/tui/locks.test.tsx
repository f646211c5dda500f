import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import type { LockView } from '../../src/domain/lock.js';
import { FakeClient, KEYS, openRig } from './dashboard-rig.js';
import { snapshotOf, taskView } from './task-views.js';

afterEach(cleanup);

const snapshot = snapshotOf([taskView({ fields: { id: 'login', branch: 'login' } })]);
const PLAN: LockView = {
  id: 'login',
  kind: 'plan',
  project: 'shop',
  task_id: 'login',
  holder: 'shop/login',
  status: 'working',
  paths: ['src/auth', 'docs/*.md'],
  since: '2026-01-02T11:00:00Z',
  expires_at: null,
  overlaps: [
    { id: 'lock-pat1', task_id: null, holder: 'Pat\u001B[31m', paths: ['src/auth'], held: ['src'] },
  ],
  drift: 2,
};

async function openLocks(held: readonly LockView[]) {
  const client = new FakeClient();
  client.held = held;
  const rig = await openRig({ snapshot, client });
  await rig.type('L');
  return rig;
}

describe('L in the dashboard', () => {
  it('lists who holds which files, who is in the way, and what was not declared', async () => {
    const rig = await openLocks([PLAN]);
    const frame = await rig.waitFor('shop/login (working, plan)');
    expect(frame).toContain('docs/*.md');
    expect(frame).toContain('! Pat: src/auth (holds src)');
    expect(frame).toContain('drift: 2 files it did not declare');
    await rig.type(KEYS.esc);
    expect(rig.frame()).not.toContain('docs/*.md');
  });

  it('says so where nothing is reserved', async () => {
    const rig = await openLocks([]);
    expect(await rig.waitFor('Nothing is reserved.')).toContain('Locks');
  });
});
