import { describe, expect, it } from 'vitest';
import { createAgentObserver, type LostAgents } from '../../src/observe/observe-agents.js';
import type { AgentExit } from '../../src/domain/session.js';
import type { LaunchRecord, LaunchRecords } from '../../src/ports.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { fakeLaunches, launchRecord } from '../daemon/daemon-home.js';
import { failed, success } from '../../src/domain/result.js';

const HUNG_UP = { status: 129, signal: 'SIGHUP', hasScreen: false };
const task = buildTaskIn('working');

/** An observer whose clock and records the test sets. */
function givenRecord(
  first: Partial<LaunchRecord> | null,
  {
    lost = { isGone: () => true },
    exit = null,
  }: {
    readonly lost?: LostAgents;
    readonly exit?: AgentExit | null;
  } = {},
) {
  let record = first;
  let now = 0;
  let isServerKnown = true;
  const read: LaunchRecords['read'] = () =>
    success(record === null ? null : launchRecord(TASK_ID, record));
  const launches = { ...fakeLaunches(), read, exitOf: () => exit };
  const clock = { nowMs: () => now, monotonicMs: () => now };
  const observer = createAgentObserver({
    launches,
    lost,
    clock,
    isServerKnown: () => isServerKnown,
  });
  return {
    look: () => observer.observe(task),
    loseServer: () => {
      isServerKnown = false;
    },
    after: (ms: number, next: Partial<LaunchRecord> | null = record) => {
      now += ms;
      record = next;
      return observer.observe(task);
    },
  };
}

describe('looking at agents', () => {
  it('says nothing of one that lives', () => {
    expect(givenRecord({}).look()).toEqual({ ended: [], againInMs: null });
  });

  it('says how one ended', () => {
    const exit = { status: 3, signal: null, hasScreen: true };
    expect(givenRecord({ isAlive: false, exit }).look()).toEqual({
      ended: [
        {
          kind: 'agent-ended',
          taskId: TASK_ID,
          role: 'worker',
          launchId: 'worker-1',
          window: 'worker',
          exit,
        },
      ],
      againInMs: null,
    });
  });

  it.each([
    ['no record, whom nobody finds', null],
    ['the record of another launch', { launchId: 'worker-0', exit: HUNG_UP, isAlive: false }],
  ])('takes one with %s for ended, nobody knows how', (_, record) => {
    const exit = { status: null, signal: null, hasScreen: false };
    expect(givenRecord(record).look().ended).toMatchObject([{ launchId: 'worker-1', exit }]);
  });
});

describe('an agent without its launch record', () => {
  it('F3 is in doubt for as long as it is not known to be gone', () => {
    let isGone = false;
    const rig = givenRecord(null, { lost: { isGone: () => isGone } });
    expect(rig.look()).toEqual({ ended: [], againInMs: 200 });
    expect(rig.after(60_000)).toEqual({ ended: [], againInMs: 200 });
    isGone = true;
    expect(rig.after(200).ended).toMatchObject([{ launchId: 'worker-1' }]);
  });

  it('F3 lives on when the record is back', () => {
    const rig = givenRecord(null, { lost: { isGone: () => false } });
    rig.look();
    expect(rig.after(200, {})).toEqual({ ended: [], againInMs: null });
  });

  it('has ended as its exit record says', () => {
    const exit = { status: 3, signal: null, hasScreen: true };
    const rig = givenRecord(null, { lost: { isGone: () => false }, exit });
    expect(rig.look().ended).toMatchObject([{ launchId: 'worker-1', exit }]);
  });
});

describe('an agent that lost its terminal while the server is still there', () => {
  const doubtful = { isAlive: false, exit: HUNG_UP, isInDoubt: true };

  it('is looked at again until the server is gone, and then was interrupted', () => {
    const rig = givenRecord(doubtful);
    expect(rig.look()).toEqual({ ended: [], againInMs: 50 });
    expect(rig.after(900)).toEqual({ ended: [], againInMs: 50 });
    const exit = { ...HUNG_UP, interruptedBy: 'server' as const };
    const gone = rig.after(50, { isAlive: false, exit, isInDoubt: false });
    expect(gone).toMatchObject({ ended: [{ exit }], againInMs: null });
  });

  it('F55 is not judged before it is known how the server gets on, but after ten seconds', () => {
    const rig = givenRecord(doubtful);
    rig.loseServer();
    rig.look();
    expect(rig.after(9999)).toEqual({ ended: [], againInMs: 50 });
    expect(rig.after(1)).toMatchObject({ ended: [{ exit: HUNG_UP }], againInMs: null });
  });

  it('has ended by itself when the server lives on for a second', () => {
    const rig = givenRecord(doubtful);
    rig.look();
    expect(rig.after(999).ended).toEqual([]);
    const judged = rig.after(1);
    expect(judged).toMatchObject({ ended: [{ exit: HUNG_UP }], againInMs: null });
    expect(judged.ended[0]?.exit).not.toHaveProperty('interruptedBy');
  });

  it('F17 says nothing of one whose record cannot be read, and looks again', () => {
    const failure = { kind: 'io-failed', path: '/run', operation: 'read', code: 'EIO' } as const;
    const launches = { ...fakeLaunches(), read: () => failed(failure) };
    const observer = createAgentObserver({
      launches,
      lost: { isGone: () => true },
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      isServerKnown: () => true,
    });
    expect(observer.observe(task)).toEqual({ ended: [], againInMs: 1000 });
  });
});
