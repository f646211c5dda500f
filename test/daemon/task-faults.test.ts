import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/effect.js';
import { TaskBug } from '../../src/domain/task-bug.js';
import type { Observation } from '../../src/domain/observation.js';
import { absorb } from '../../src/engine/absorb.js';
import { decide } from '../../src/engine/decide.js';
import { Loop } from '../../src/daemon/loop.js';
import type { Rules } from '../../src/daemon/loop-parts.js';
import { taskView } from '../../src/daemon/build-view.js';
import { diagnose } from '../../src/doctor/diagnose.js';
import { buildSurvey } from '../builders/survey.js';
import { succeed } from '../fakes/answer-effect.js';
import { momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

const BAD = 'a1aaaaaaaa';
const GOOD = 'b2bbbbbbbb';

/** Two tasks under one loop, with rules of which one may have a bug. */
function openLoop(home: DaemonHome, rules: Partial<Rules>) {
  const executed: Effect[] = [];
  home.world.installedHarnesses.add('claude');
  home.addTask({ id: BAD, branch: 'bad' });
  home.addTask({ id: GOOD, branch: 'good' });
  const loop = new Loop(
    {
      ...home,
      execute: async (effect): Promise<Observation | null> => {
        executed.push(effect);
        return succeed(effect);
      },
      look: () => null,
      stuckBecause: () => null,
      newId: () => 'c3cccccccc',
      onSettled: () => undefined,
      onProgress: () => undefined,
      onAnswered: () => undefined,
      stops: { heed: () => undefined, forget: () => undefined },
    },
    { absorb, decide, ...rules },
  );
  return { loop, executed };
}

function readFile(home: DaemonHome, id: string, hasValidPlan: boolean): Observation {
  const task = home.world.tasks.get(id);
  if (task === undefined) throw new Error(`no task ${id}`);
  const { fields, extensions, context, artifacts } = task;
  const seen = { fields, extensions, context, artifacts: { ...artifacts, hasValidPlan } };
  return { kind: 'file-read', taskId: id, ...seen, isSettled: true };
}

const codesOf = (home: DaemonHome, id: string) =>
  home.world.tasks.get(id)?.problems.map(({ code }) => code);

/** Rules that fail at one task for as long as `isBroken` says so, where it says so. */
function failing(isBroken: () => boolean, rule: 'absorb' | 'decide'): Partial<Rules> {
  const check = (observation: Observation): void => {
    const isAboutBad = 'taskId' in observation && observation.taskId === BAD;
    if (isBroken() && isAboutBad) throw new TypeError('nothing is undefined');
  };
  return rule === 'absorb'
    ? { absorb: (task, seen) => (check(seen), absorb(task, seen)) }
    : { decide: (world, seen, moment) => (check(seen), decide(world, seen, moment)) };
}

describe('a bug that comes up with one task', () => {
  it.each(['absorb', 'decide'] as const)(
    'F77 marks that task when the loop fails to %s it, and the others go on',
    async (rule) => {
      using home = openDaemonHome();
      const broken = { is: false };
      const { loop } = openLoop(
        home,
        failing(() => broken.is, rule),
      );
      loop.see({ kind: 'schedule' });
      await loop.drained();
      broken.is = true;
      loop.see(readFile(home, BAD, true));
      loop.see(readFile(home, GOOD, true));
      expect(home.fieldsOnDisk(BAD).status).toBe('planning');
      expect(home.fieldsOnDisk(GOOD).status).toBe('working');
      expect(codesOf(home, BAD)).toEqual(['ORA095']);
      expect(codesOf(home, GOOD)).toEqual([]);
      expect(home.log.records).toContainEqual(
        expect.objectContaining({
          event: 'task.fault',
          task: BAD,
          bug: expect.stringContaining('task-faults.test.ts'),
        }),
      );
    },
  );

  it('F77 is shown with its error by every view and by doctor', () => {
    using home = openDaemonHome();
    const { loop } = openLoop(
      home,
      failing(() => true, 'decide'),
    );
    loop.see({ kind: 'reconsider', taskId: BAD });
    const task = home.world.tasks.get(BAD);
    if (task === undefined) throw new Error('no task');
    expect(taskView(home.world, task, momentOf(home.clock))).toMatchObject({
      problems: [{ message: 'orange fails at this task: nothing is undefined' }],
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'fault' })]),
    });
    expect(diagnose(buildSurvey({ world: home.world }))).toContainEqual(
      expect.objectContaining({
        class: 'task-fault',
        severity: 'error',
        task_id: BAD,
        message: expect.stringContaining('nothing is undefined'),
      }),
    );
  });

  it('F77 holds back what is seen of it, tries ever later, and takes it all in when it can', async () => {
    using home = openDaemonHome();
    const broken = { is: false, tries: 0 };
    const { loop } = openLoop(
      home,
      failing(() => {
        broken.tries += 1;
        return broken.is;
      }, 'absorb'),
    );
    loop.see({ kind: 'schedule' });
    await loop.drained();
    broken.is = true;
    loop.see(readFile(home, BAD, false));
    broken.tries = 0;
    loop.see(readFile(home, BAD, true));
    loop.retryLate();
    expect(broken.tries).toBe(0);
    const pauses = [1000, 2000, 4000, 8000].map((pauseMs) => {
      home.clock.advance(pauseMs - 1);
      loop.retryLate();
      const early = broken.tries;
      home.clock.advance(1);
      loop.retryLate();
      return [early, broken.tries];
    });
    expect(pauses).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    broken.is = false;
    home.clock.advance(16_000);
    loop.retryLate();
    expect(home.fieldsOnDisk(BAD).status).toBe('working');
    expect(codesOf(home, BAD)).toEqual([]);
  });

  it('F77 loses no result of an effect, and keeps its outbox entry until it is recorded', async () => {
    using home = openDaemonHome();
    const broken = { is: true };
    const { loop } = openLoop(
      home,
      failing(() => broken.is, 'decide'),
    );
    loop.see({ kind: 'schedule' });
    await loop.drained();
    expect(home.fieldsOnDisk(BAD).status).toBe('pending');
    expect(home.fieldsOnDisk(GOOD).status).toBe('planning');
    expect(home.entries()).toHaveLength(1);
    broken.is = false;
    home.clock.advance(1000);
    loop.retryLate();
    loop.retryLate();
    await loop.drained();
    expect(home.fieldsOnDisk(BAD).status).toBe('planning');
    expect(home.entries()).toEqual([]);
    const types = home.events(BAD).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'agent.spawned', 'status.changed']);
  });

  it('F77 leaves the next in the queue its slot when one cannot be started', async () => {
    using home = openDaemonHome();
    const { loop, executed } = openLoop(home, {
      decide: (world, seen, moment) => {
        const isTried = world.tasks.get(BAD)?.problems.length === 0;
        if (seen.kind === 'schedule' && isTried) throw new TaskBug(BAD, new Error('no start'));
        return decide(world, seen, moment);
      },
    });
    loop.see({ kind: 'schedule' });
    await loop.drained();
    expect(executed.map(({ taskId }) => taskId)).toEqual([GOOD]);
    expect(codesOf(home, BAD)).toEqual(['ORA095']);
  });

  it('F77 answers a wish at which orange fails, and lets a person try at once', async () => {
    using home = openDaemonHome();
    const broken = { is: true };
    const { loop } = openLoop(home, {
      decide: (world, seen, moment) => {
        if (broken.is && seen.kind === 'request') throw new Error('no answer');
        return decide(world, seen, moment);
      },
    });
    const cancel = { kind: 'task.cancel', taskId: BAD, reason: null } as const;
    expect(await loop.ask(cancel, 'human')).toMatchObject({
      ok: false,
      failure: { kind: 'internal', message: expect.stringContaining('no answer') },
    });
    broken.is = false;
    expect(await loop.ask(cancel, 'human')).toMatchObject({ ok: true });
    expect(home.fieldsOnDisk(BAD).status).toBe('cancelled');
  });

  it('F77 is thrown on when it is about no task', () => {
    using home = openDaemonHome();
    const { loop } = openLoop(home, {
      decide: (world, seen, moment) => {
        if (seen.kind === 'schedule') throw new Error('no order');
        return decide(world, seen, moment);
      },
    });
    expect(() => loop.see({ kind: 'schedule' })).toThrow('no order');
  });
});
