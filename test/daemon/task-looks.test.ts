import { expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { TaskLooks } from '../../src/daemon/task-looks.js';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import { success } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { createTaskFileObserver } from '../../src/observe/task-file-observer.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { buildTask, TASK_ID } from '../builders/task.js';
import { temporaryHome } from '../record/temporary-home.js';
import { fakeLaunches, manualClock, memoryLog } from './daemon-home.js';

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
