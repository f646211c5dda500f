import { closeSync, openSync, readdirSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { canBeWithoutInotify, WITHOUT_INOTIFY } from '../../lib/without-inotify.mjs';
import { actAtRandom } from '../actions.mjs';
import { listAgents } from '../oracle/check-processes.mjs';
import { run } from '../run.mjs';
import { awaitState, pause } from '../wait.mjs';

const HINTS_MS = 2500;
const ENOUGH_FILES = 4096;
const group = 'limits of the machine';
const NEEDS_MOUNT = 'needs leave to mount a disk';

export const LIMIT_FAULTS = [
  {
    name: 'disk full',
    group,
    place: { disk: 'small' },
    maySetAside: true,
    strike: async (course) => {
      if (!course.place.isSmall) return NEEDS_MOUNT;
      await course.taskIn(['reviewing']);
      await course.create({ worker: 'messy' });
      await course.settle();
      const filler = join(course.place.home, 'filler');
      fillDisk(filler, course.random.below(3) * 4096);
      for (let step = 0; step < 4; step += 1) await actOnFullDisk(course);
      await pause(500);
      rmSync(filler);
      return true;
    },
  },
  {
    name: 'home read-only at the start',
    group,
    place: { disk: 'small' },
    strike: async (course) => {
      if (!course.place.isSmall) return NEEDS_MOUNT;
      await course.taskIn(['reviewing']);
      await course.settle();
      await course.daemon.end();
      const isReadOnly = (await course.place.remount('ro')).code === 0;
      const isUp = await course.start({ mayRefuse: isReadOnly });
      if (isUp && isReadOnly) course.complain('F19 a daemon started on a read-only home');
      await course.daemon.end();
      await course.place.remount('rw');
      return isReadOnly;
    },
  },
  {
    name: 'no more open files',
    group,
    maySetAside: true,
    strike: async (course) => {
      const { pid } = course.daemon;
      await course.taskIn(['reviewing']);
      // One whose end would be a crash, as it has handed nothing over.
      const taskId = await course.taskIn(['planning'], { worker: 'hanger' }, isHanging);
      const isUp = () => listAgents(course.place.home).some((each) => each.taskId === taskId);
      const isLiving = (await awaitState(isUp, course.patienceMs)) === true;
      const low = lowestFree(pid) + (course.random.chance(0.6) ? 0 : course.random.below(6));
      const limited = await setLimit(pid, low);
      const acting = [actAtRandom(course), actAtRandom(course), actAtRandom(course)];
      // Its watcher tells it to look at files and agents, for which it has no descriptor.
      const [hints] = await Promise.all([hintAt(course), flicker(course, pid, low)]);
      await setLimit(pid, ENOUGH_FILES);
      await Promise.all(acting);
      return limited.code === 0 && isLiving && hints > 0;
    },
  },
  {
    name: 'no inotify',
    group,
    strike: async (course) => {
      if (!(await canBeWithoutInotify())) return 'needs a user namespace';
      await course.daemon.end();
      if (!(await course.start({ wrap: WITHOUT_INOTIFY }))) return false;
      await course.makeRoom();
      await course.create({ worker: course.random.pick(['steady', 'saver', 'crasher']) });
      return (await awaitState(() => isBlind(course), course.patienceMs)) === true;
    },
  },
];

const isHanging = ({ fields }) => fields.harness === 'hanger';

/** Whether the daemon itself says that it cannot watch its files. */
async function isBlind({ daemon: { client } }) {
  const { result } = (await client?.call({ method: 'status' })) ?? {};
  return result?.sources.files.state === 'broken';
}

/** Fills the disk to the last block but those that are left free. */
function fillDisk(path, leftBytes) {
  const block = Buffer.alloc(4096, 1);
  const reserve = `${path}-reserve`;
  const keep = openSync(reserve, 'w');
  if (leftBytes > 0) writeSync(keep, Buffer.alloc(leftBytes, 1));
  closeSync(keep);
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  rmSync(reserve);
}

// Agents that write in place would empty their own files now, which is not what is tried here.
function actOnFullDisk(course) {
  const { random, living } = course;
  if (random.chance(0.3) || living.length === 0) return course.create({ worker: 'hanger' });
  const { id: taskId, fields } = random.pick(living);
  if (fields.status === 'reviewing' && random.chance(0.5)) {
    return course.ask({ kind: 'task.merge', taskId, strategy: null, push: null, message: null });
  }
  if (random.chance(0.4)) return course.ask({ kind: 'task.cancel', taskId, reason: null });
  return course.ask({ kind: 'task.update', taskId, summary: `Full at ${random.below(1e6)}` });
}

/** The next descriptor that a process would get: the limit is a number, and not how many. */
function lowestFree(pid) {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  while (open.has(free)) free += 1;
  return free;
}

/** Gives the files of all living tasks new times for a while, as a save does; gives how often. */
async function hintAt(course) {
  const start = performance.now();
  let hints = 0;
  while (performance.now() - start < HINTS_MS) {
    for (const { folder } of course.living) {
      const now = new Date();
      utimesSync(join(folder, 'TASK.md'), now, now);
      hints += 1;
    }
    await pause(60);
  }
  return hints;
}

/** Half the time there are descriptors again for a moment: what was seen without any is acted on. */
async function flicker({ random }, pid, low) {
  if (random.chance(0.5)) return;
  const start = performance.now();
  while (performance.now() - start < HINTS_MS - 500) {
    await pause(20 + random.below(200));
    await setLimit(pid, ENOUGH_FILES);
    await pause(random.below(40));
    await setLimit(pid, low);
  }
}

function setLimit(pid, files) {
  return run('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
}
