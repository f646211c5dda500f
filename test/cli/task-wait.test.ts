import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/domain/status.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

/** A world whose one task can be moved. */
function world(first: Status, isDaemonUp: boolean) {
  let snapshot = snapshotOf([taskView({ fields: { status: first } })]);
  const rig = cliRig({ snapshot: () => snapshot, isDaemonUp });
  return {
    rig,
    move: (status: Status) => {
      const task = taskView({ fields: { status } });
      snapshot = snapshotOf([task]);
      rig.client.push({ tasks: [task] });
    },
    remove: () => {
      snapshot = snapshotOf([]);
      rig.client.push({ removed: [taskView().fields.id] });
    },
  };
}

const WAIT = ['task', 'wait', 'abc0', '--status', 'reviewing,done', '--timeout', '10'];

describe('orange task wait', () => {
  it('ends at once when the status is there already', async () => {
    const ran = await world('done', true).rig.run(...WAIT, '--json');
    expect(ran.exitCode).toBe(0);
    expect(ran.json()).toMatchObject({ status: 'done' });
  });

  it.each([true, false])('ends when one is reached (daemon up: %s)', async (isDaemonUp) => {
    const { rig, move } = world('working', isDaemonUp);
    const waiting = rig.run(...WAIT);
    setTimeout(() => move('agent-review'), 20);
    setTimeout(() => move('reviewing'), 60);
    const ran = await waiting;
    expect(ran.stdout).toContain('is reviewing.');
    expect(ran.exitCode).toBe(0);
  });

  it('exits 4 when its time is up', async () => {
    const { rig } = world('working', true);
    const ran = await rig.run('task', 'wait', 'abc0', '--status', 'done', '--timeout', '0.05');
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain('is still working');
  });

  it('does not wait for what can no longer happen', async () => {
    const { rig, move } = world('working', true);
    const waiting = rig.run(...WAIT);
    setTimeout(() => move('cancelled'), 20);
    const ran = await waiting;
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('is cancelled');
  });

  it('exits 3 when the task is deleted meanwhile', async () => {
    const { rig, remove } = world('working', true);
    const waiting = rig.run(...WAIT);
    setTimeout(remove, 20);
    expect((await waiting).exitCode).toBe(3);
  });

  it('goes on when the daemon ends in between', async () => {
    const { rig, move } = world('working', true);
    const waiting = rig.run(...WAIT);
    setTimeout(() => {
      rig.client.end();
      move('done');
    }, 20);
    expect((await waiting).exitCode).toBe(0);
  });
});
