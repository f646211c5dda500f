import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/effect.js';
import type { Observation } from '../../src/domain/observation.js';
import type { Files } from '../../src/ports.js';
import { Loop } from '../../src/daemon/loop.js';
import { TASK_ID } from '../builders/task.js';
import { succeed } from '../fakes/answer-effect.js';
import { failingDisk, openDaemonHome, type DaemonHome } from './daemon-home.js';

/** The loop over a real record, with an outside where everything works. */
function openLoop(home: DaemonHome) {
  const executed: Effect[] = [];
  const putOff: string[] = [];
  const takenUp: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const settled: number[] = [];
  home.world.installedHarnesses.add('claude');
  const loop = new Loop({
    world: home.world,
    recorder: home.recorder,
    clock: home.clock,
    log: home.log,
    paths: home.paths,
    execute: async (effect): Promise<Observation | null> => {
      executed.push(effect);
      await gate;
      return succeed(effect);
    },
    look: () => null,
    stuckBecause: () => null,
    newId: () => TASK_ID,
    onSettled: () => void settled.push(home.world.touched.size),
    onProgress: () => undefined,
    onAnswered: () => undefined,
    stops: {
      heed: ({ kind }) => void putOff.push(kind),
      forget: (id) => void takenUp.push(id),
    },
  });
  /** From now on nothing is carried out to its end before it is opened. */
  const opening = (): { open(): void } => {
    const opener = { open: (): void => undefined };
    gate = new Promise((resolve) => {
      opener.open = resolve;
    });
    return { open: () => opener.open() };
  };
  return { loop, executed, settled, putOff, takenUp, opening };
}

describe('the loop on a disk that is full for a while', () => {
  it('keeps the start of an agent that TASK.md could not take, and records it once it can', async () => {
    let isFull = false;
    using home = openDaemonHome(
      failingDisk((operation) => isFull && operation === 'replaceIfUnchanged'),
    );
    home.addTask();
    const { loop, executed } = openLoop(home);
    loop.see({ kind: 'schedule' });
    isFull = true;
    await loop.drained();
    expect(executed.map(({ kind }) => kind)).toEqual(['start-agent']);
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('pending');
    expect(home.entries()).toHaveLength(1);
    loop.retryLate();
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('pending');
    isFull = false;
    loop.retryLate();
    await loop.drained();
    expect(home.fieldsOnDisk(TASK_ID)).toMatchObject({ status: 'planning', workspace: 'shop--1' });
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'agent.spawned', 'status.changed']);
    expect(home.entries()).toEqual([]);
    expect(executed).toHaveLength(1);
  });

  it('F15 says once that it cannot record a move, however often it tries', async () => {
    let isFull = true;
    using home = openDaemonHome(
      failingDisk((operation) => isFull && operation === 'replaceIfUnchanged'),
    );
    home.addTask();
    const { loop } = openLoop(home);
    loop.see({ kind: 'schedule' });
    await loop.drained();
    for (let times = 0; times < 5; times += 1) loop.retryLate();
    const complaints = (): number =>
      home.log.records.filter(({ event }) => event === 'record.failed').length;
    expect(complaints()).toBe(1);
    isFull = false;
    loop.retryLate();
    await loop.drained();
    isFull = true;
    for (const summary of ['y', 'z']) {
      await loop.ask({ kind: 'task.update', taskId: TASK_ID, summary }, 'human');
    }
    expect(complaints()).toBe(3);
  });

  it('advances a settled task later when its move could not be written at once', async () => {
    let isFull = false;
    using home = openDaemonHome(
      failingDisk((operation) => isFull && operation === 'replaceIfUnchanged'),
    );
    home.addTask();
    const { loop } = openLoop(home);
    loop.see({ kind: 'schedule' });
    await loop.drained();
    const task = home.world.tasks.get(TASK_ID);
    if (task === undefined) throw new Error('no task');
    isFull = true;
    loop.see({
      kind: 'file-read',
      taskId: TASK_ID,
      fields: task.fields,
      extensions: task.extensions,
      context: task.context,
      artifacts: { ...task.artifacts, hasValidPlan: true },
      isSettled: true,
    });
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('planning');
    isFull = false;
    loop.retryLate();
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('working');
    loop.retryLate();
    expect(home.events(TASK_ID).filter(({ type }) => type === 'auto.advanced')).toHaveLength(1);
  });

  it('refuses a request that could not be recorded, and repeats it for nobody', async () => {
    let isFull = false;
    const spoil = failingDisk((operation: keyof Files) => {
      return isFull && operation === 'replaceIfUnchanged';
    });
    using home = openDaemonHome(spoil);
    home.addTask();
    const { loop } = openLoop(home);
    isFull = true;
    const asked = loop.ask({ kind: 'task.cancel', taskId: TASK_ID, reason: null }, 'human');
    await expect(asked).resolves.toMatchObject({ ok: false, failure: { code: 'ENOSPC' } });
    isFull = false;
    loop.retryLate();
    await loop.drained();
    expect(home.fieldsOnDisk(TASK_ID).status).not.toBe('cancelled');
  });

  it('carries out the effects of a move when its late history has been written', async () => {
    let isFull = false;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    home.addTask();
    const { loop, executed } = openLoop(home);
    loop.see({ kind: 'schedule' });
    await loop.drained();
    isFull = true;
    const asked = await loop.ask({ kind: 'task.cancel', taskId: TASK_ID, reason: null }, 'human');
    expect(asked).toMatchObject({ ok: false, failure: { code: 'ENOSPC' } });
    expect(executed.map(({ kind }) => kind)).toEqual(['start-agent']);
    isFull = false;
    loop.retryLate();
    await loop.drained();
    expect(executed.map(({ kind }) => kind)).toEqual(['start-agent', 'release-workspace']);
    expect(home.fieldsOnDisk(TASK_ID)).toMatchObject({ status: 'cancelled', workspace: null });
    expect(home.entries()).toEqual([]);
  });

  it('F14 shows a task whose history is late, and tells whoever asks for more why it waits', async () => {
    let isFull = false;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    home.addTask();
    const { loop } = openLoop(home);
    loop.see({ kind: 'schedule' });
    await loop.drained();
    const ask = (to: string) =>
      loop.ask({ kind: 'task.update', taskId: TASK_ID, summary: to }, 'human');
    isFull = true;
    // Its second finds the first unwritten, and is not done either.
    for (const summary of ['one', 'two']) {
      expect(await ask(summary)).toMatchObject({ ok: false, failure: { code: 'ENOSPC' } });
    }
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('one');
    expect(home.world.tasks.get(TASK_ID)?.problems).toMatchObject([{ code: 'ORA092' }]);
    isFull = false;
    loop.retryLate();
    expect(home.world.tasks.get(TASK_ID)?.problems).toEqual([]);
    expect(await ask('three')).toMatchObject({ ok: true });
    const updates = home.events(TASK_ID).filter(({ type }) => type === 'task.updated');
    expect(updates).toHaveLength(2);
  });
});

describe('the loop', () => {
  it('says which wish has to wait, and follows it when what is under way has ended', async () => {
    using home = openDaemonHome();
    home.addTask();
    const { loop, executed, putOff, takenUp, opening } = openLoop(home);
    const start = opening();
    loop.see({ kind: 'schedule' });
    const cancelled = loop.ask({ kind: 'task.cancel', taskId: TASK_ID, reason: null }, 'human');
    expect([putOff, takenUp]).toEqual([['task.cancel'], []]);
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('pending');
    start.open();
    expect((await cancelled).ok).toBe(true);
    expect(takenUp).toEqual([TASK_ID]);
    expect(home.fieldsOnDisk(TASK_ID)).toMatchObject({ status: 'cancelled', workspace: null });
    expect(executed.map(({ kind }) => kind)).toContain('release-workspace');
  });

  it('tells views once of everything that was seen together', async () => {
    using home = openDaemonHome();
    home.addTask();
    const { loop, executed, settled } = openLoop(home);
    loop.together(() => {
      loop.see({ kind: 'reconsider', taskId: TASK_ID });
      loop.see({ kind: 'schedule' });
      loop.see({ kind: 'schedule' });
      expect(settled).toEqual([]);
    });
    expect(settled).toEqual([1]);
    await loop.drained();
    expect(executed.map(({ kind }) => kind)).toEqual(['start-agent']);
    expect(settled.length).toBeGreaterThan(1);
  });

  it('settles an entry whose effects turned out to be done', () => {
    using home = openDaemonHome();
    home.addTask();
    const entry = { seq: 9, taskId: TASK_ID, commit: null, events: [], requestId: null };
    home.outbox.write({ ...entry, effects: [] });
    openLoop(home).loop.resume(TASK_ID, { seq: 9, effects: [] });
    expect(home.entries()).toEqual([]);
  });
});
