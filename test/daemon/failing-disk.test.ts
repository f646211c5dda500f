import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { loadTasks, reloadUnread } from '../../src/daemon/load-world.js';
import { replayOutbox } from '../../src/daemon/replay-outbox.js';
import { IO_FAILPOINTS } from '../../src/domain/failpoint-names.js';
import { armFailpoints } from '../../src/domain/failpoint.js';
import { failed, success, type Result } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { absorb } from '../../src/engine/absorb.js';
import type { Files } from '../../src/ports.js';
import { createHistoryLog } from '../../src/record/history-log.js';
import { TASK_ID } from '../builders/task.js';
import { fakeLaunches, type DaemonHome } from './daemon-home.js';
import {
  checkRecord,
  checkRestart,
  goStep,
  openCourse,
  STEPS,
  type Course,
} from './fault-course.js';

const CODES = ['ENOSPC', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE'] as const;

/** A course that ends in the middle of a move: TASK.md shows it, its history and effects do not. */
async function dieAmidMove(): Promise<Course> {
  const course = openCourse();
  const [create, plan] = STEPS;
  if (create === undefined || plan === undefined) throw new Error('no steps');
  await goStep(course, create);
  armFailpoints((name) => {
    if (name === 'history.before-write') throw Object.assign(new Error(name), { code: 'EIO' });
  });
  await goStep(course, plan);
  armFailpoints(() => undefined);
  const text = readFileSync(course.home.paths.historyFile('shop', TASK_ID), 'utf8');
  expect(text).not.toContain('"to":"working"');
  return course;
}

/** Lets the n-th and the following touches of the disk fail; gives how many there were. */
function failTouches(from: number, count: number, code: string): () => number {
  let touches = 0;
  armFailpoints((name) => {
    if (!Object.hasOwn(IO_FAILPOINTS, name)) return;
    touches += 1;
    if (touches < from || touches >= from + count) return;
    throw Object.assign(new Error(`${code} at ${name}`), { code });
  });
  return () => touches;
}

/** The whole course of a task with a fault in it; gives the number of touches. */
async function goCourse(from: number, count: number, code: string): Promise<number> {
  const course = openCourse();
  using _ = course.home;
  const touches = failTouches(from, count, code);
  for (const step of STEPS) await goStep(course, step);
  const total = touches();
  armFailpoints(() => undefined);
  await course.tick();
  checkRecord(course);
  checkRestart(course);
  return total;
}

describe('a task on a disk that fails', { timeout: 120_000 }, () => {
  afterEach(() => armFailpoints(() => undefined));

  it.each([
    ['once', 1],
    ['three times in a row', 3],
    ['for a while', 20],
  ])('G2 goes its whole course, whichever touch of the disk fails: %s', async (_, count) => {
    const total = await goCourse(Number.POSITIVE_INFINITY, 1, 'EIO');
    expect(total).toBeGreaterThan(200);
    const stride = count === 1 ? 1 : 5;
    for (let n = 1; n <= total; n += stride) {
      await goCourse(n, count, CODES[n % CODES.length] ?? 'EIO');
    }
  });
});

describe('a daemon that starts on a disk that fails', { timeout: 120_000 }, () => {
  afterEach(() => armFailpoints(() => undefined));

  it('F16 loses and doubles nothing, whichever touch of the disk fails', async () => {
    let reached = true;
    let n = 0;
    while (reached) {
      n += 1;
      const course = await dieAmidMove();
      using home = course.home;
      const touches = failTouches(n, 1, CODES[n % CODES.length] ?? 'EIO');
      const first = startAgain(home);
      // Whether it started or was refused: what it did not finish is there for the next one.
      if (first.ok) reloadUnread({ ...home, world: first.value, launches: fakeLaunches() });
      reached = touches() >= n;
      armFailpoints(() => undefined);
      const next = startAgain(home);
      expect(next.ok ? [...next.value.problems.values()] : next).toEqual([]);
      const world = next.ok ? next.value : home.world;
      expect(world.tasks.get(TASK_ID)).toMatchObject({
        fields: { status: 'working' },
        problems: [],
      });
      const moves = home.events(TASK_ID).filter(({ to }) => to === 'working');
      expect(moves).toHaveLength(1);
      expect(home.events(TASK_ID).filter(({ type }) => type === 'task.created')).toHaveLength(1);
      expect(home.entries()).toEqual([]);
    }
    expect(n).toBeGreaterThan(5);
  });

  it('F16 moves nothing while a history cannot be read, and goes on when it can', async () => {
    const course = openCourse();
    using home = course.home;
    for (const step of STEPS.slice(0, 2)) await goStep(course, step);
    const path = home.paths.historyFile('shop', TASK_ID);
    let isBroken = true;
    const files: Files = {
      ...home.files,
      readText: (file, ...how) =>
        isBroken && file === path
          ? failed({ kind: 'io-failed', path: file, operation: 'read', code: 'EIO' })
          : home.files.readText(file, ...how),
    };
    const parts = { ...home, files, history: createHistoryLog(files), launches: fakeLaunches() };
    const world = new LiveWorld();
    world.settings.set('', DEFAULT_SETTINGS);
    expect(loadTasks({ ...parts, world })).toMatchObject({ ok: true });
    const isStopped = { problems: [{ code: 'ORA062' }], fields: { workspace: 'shop--1' } };
    expect(world.tasks.get(TASK_ID)).toMatchObject(isStopped);
    const task = world.tasks.get(TASK_ID);
    const seen = task === undefined ? null : home.observer.observe(task, 'final', 0);
    if (task === undefined || seen === null) throw new Error('nothing seen');
    world.putTask(absorb(task, seen));
    expect(world.tasks.get(TASK_ID)).toMatchObject(isStopped);
    expect(reloadUnread({ ...parts, world })).toEqual([]);
    isBroken = false;
    expect(reloadUnread({ ...parts, world })).toEqual([TASK_ID]);
    expect(world.tasks.get(TASK_ID)).toMatchObject({ problems: [], cameFrom: 'planning' });
    expect(home.events(TASK_ID).filter(({ type }) => type === 'task.created')).toHaveLength(1);
  });
});

/** What a daemon does first: the outbox, then the tasks. */
function startAgain(home: DaemonHome): Result<LiveWorld> {
  const replayed = replayOutbox(home);
  if (!replayed.ok) return replayed;
  const world = new LiveWorld();
  world.settings.set('', DEFAULT_SETTINGS);
  for (const problem of replayed.value.damaged) world.problems.set(problem.file, [problem]);
  const loaded = loadTasks({ ...home, world, launches: fakeLaunches() });
  return loaded.ok ? success(world) : loaded;
}
