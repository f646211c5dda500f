import { expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { TaskLooks } from '../../src/daemon/task-looks.js';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import { success } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { createTaskFileObserver } from '../../src/observe/task-file-observer.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { buildTask, buildTaskIn, endedAgent, TASK_ID } from '../builders/task.js';
import { temporaryHome } from '../record/temporary-home.js';
import { fakeLaunches, launchRecord, manualClock, memoryLog } from './daemon-home.js';

/** The looks at one task whose agent lives, and how often they said that it outlives its terminal. */
function openLooks() {
  const home = temporaryHome();
  const world = new LiveWorld();
  world.settings.set('', DEFAULT_SETTINGS);
  world.putTask(buildTaskIn('working'));
  const clock = manualClock();
  const outlived: number[] = [];
  const source = {
    stamp: () => success({ mtimeMs: 0, size: 10, inode: 1 }),
    read: () => ({ kind: 'unreadable', diagnostics: [] }) as const,
  };
  const looks = new TaskLooks({
    ...home,
    world,
    store: createTaskStore(home),
    observer: createTaskFileObserver({ clock, source }),
    launches: fakeLaunches([launchRecord(TASK_ID)]),
    lost: { isGone: () => false },
    clock,
    log: memoryLog(),
    isServerKnown: () => true,
    onOutlived: () => void outlived.push(clock.nowMs()),
  });
  const startMs = clock.nowMs();
  return {
    looks,
    world,
    clock,
    outlived: () => outlived.map((atMs) => atMs - startMs),
    [Symbol.dispose]: () => {
      looks.close();
      home[Symbol.dispose]();
    },
  };
}

it('F42 F59 tell of an agent that lives on without its terminal once it has had time to end', () => {
  using rig = openLooks();
  rig.looks.suspect(TASK_ID);
  for (let look = 0; look < 40; look += 1) {
    rig.clock.advance(100);
    rig.looks.check(TASK_ID);
    // That it is said again does not begin the time anew.
    rig.looks.suspect(TASK_ID);
  }
  expect(rig.outlived()).toEqual([]);
  rig.clock.advance(1000);
  rig.looks.check(TASK_ID);
  rig.looks.check(TASK_ID);
  expect(rig.outlived()).toEqual([5000]);
});

it('F59 tell nothing of one that has ended meanwhile', () => {
  using rig = openLooks();
  rig.looks.suspect(TASK_ID);
  rig.world.putTask(buildTaskIn('working', { worker: endedAgent('worker') }));
  rig.clock.advance(5000);
  rig.looks.check(TASK_ID);
  expect(rig.outlived()).toEqual([]);
});

it('I9 keep nothing of the file of a task that nobody follows any more', () => {
  using home = temporaryHome();
  const world = new LiveWorld();
  world.settings.set('', DEFAULT_SETTINGS);
  const task = buildTask();
  world.putTask(task);
  const clock = manualClock();
  let reads = 0;
  const observer = createTaskFileObserver({
    clock,
    source: {
      stamp: () => success({ mtimeMs: 0, size: 10, inode: 1 }),
      read: () => {
        reads += 1;
        const { fields, extensions } = task;
        const seen = { fields, extensions, context: null, artifacts: NO_ARTIFACTS };
        return { kind: 'read', body: 'a body', seen };
      },
    },
  });
  const looks = new TaskLooks({
    ...home,
    world,
    store: createTaskStore(home),
    observer,
    launches: fakeLaunches(),
    lost: { isGone: () => false },
    clock,
    log: memoryLog(),
    isServerKnown: () => true,
    onOutlived: () => undefined,
  });
  looks.look(TASK_ID, 'now');
  clock.advance(60_000);
  looks.look(TASK_ID, 'now');
  const before = reads;
  looks.look(TASK_ID, 'now');
  expect(reads).toBe(before);
  looks.forget(TASK_ID);
  looks.look(TASK_ID, 'now');
  expect(reads).toBe(before + 1);
  looks.close();
});
