import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { actAtRandom } from '../actions.mjs';
import { run } from '../run.mjs';
import { pause } from '../wait.mjs';

const group = 'limits of the machine';

// In a user namespace of its own the limit is this daemon's alone.
const WITHOUT_INOTIFY = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"',
  'sh',
];

export const LIMIT_FAULTS = [
  {
    name: 'disk full',
    group,
    place: { disk: 'small' },
    maySetAside: true,
    strike: async (course) => {
      if (!course.place.isSmall) return false;
      await course.taskIn(['reviewing']);
      await course.create({ worker: 'messy' });
      await course.settle();
      const filler = join(course.place.home, 'filler');
      fillDisk(filler, course.random.below(3) * 4096);
      for (let step = 0; step < 4; step += 1) await actOnFullDisk(course);
      await pause(500);
      rmSync(filler);
      await course.settle();
      return true;
    },
  },
  {
    name: 'home read-only at the start',
    group,
    place: { disk: 'small' },
    strike: async (course) => {
      if (!course.place.isSmall) return false;
      await course.taskIn(['reviewing']);
      await course.settle();
      await course.daemon.end();
      const isReadOnly = (await course.place.remount('ro')).code === 0;
      const isUp = await course.start();
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
      const open = readdirSync(`/proc/${pid}/fd`).length;
      await setLimit(pid, open + course.random.below(8));
      const acting = [actAtRandom(course), actAtRandom(course), actAtRandom(course)];
      await pause(1200);
      await setLimit(pid, 4096);
      await Promise.all(acting);
      return true;
    },
  },
  {
    name: 'no inotify',
    group,
    strike: async (course) => {
      const isPossible =
        (await run(WITHOUT_INOTIFY[0], [...WITHOUT_INOTIFY.slice(1), 'true'])).code === 0;
      if (!isPossible) return false;
      await course.daemon.end();
      if (!(await course.start({ wrap: WITHOUT_INOTIFY }))) return false;
      await course.makeRoom();
      await course.create({ worker: course.random.pick(['steady', 'saver', 'crasher']) });
      await course.settle();
      return true;
    },
  },
];

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

function setLimit(pid, files) {
  return run('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
}
