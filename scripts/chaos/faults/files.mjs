import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actAtRandom } from '../actions.mjs';
import { PROJECT } from '../place.mjs';
import { pause } from '../wait.mjs';

const group = 'broken files';
const GARBAGE = [
  '',
  '[]',
  '{',
  '{"workspaces":',
  'null',
  '\u0000\u0001',
  '{"workspaces":{"shop--1":7}}',
];
const RESTING = ['reviewing', 'working', 'stuck', 'clarification'];

/** Writes garbage in place of a file, with or without a daemon to see it. */
async function spoil(course, path, isDown) {
  if (isDown) await course.daemon.end();
  writeFileSync(path, course.random.pick(GARBAGE));
  if (isDown) await course.start();
  else await pause(300);
}

export const FILE_FAULTS = [
  {
    name: 'broken pool file',
    group,
    strike: async (course) => {
      await course.taskIn(RESTING);
      await course.settle();
      await spoil(
        course,
        join(course.place.home, 'workspaces', '.pool.json'),
        course.random.chance(0.7),
      );
      await actAtRandom(course);
      // A file that nobody was asked about is put right at the next start at the latest.
      await course.daemon.end();
      return true;
    },
  },
  {
    name: 'broken projects file',
    group,
    strike: async (course) => {
      await course.taskIn(RESTING);
      await course.settle();
      const path = join(course.place.home, 'projects.json');
      const before = readFileSync(path, 'utf8');
      await spoil(course, path, course.random.chance(0.5));
      await actAtRandom(course);
      writeFileSync(path, before);
      // Without a watcher it is read again at the next reconcile.
      await pause(1500);
      return true;
    },
  },
  {
    name: 'broken TASK.md, put right again',
    group,
    strike: (course) => spoilTask(course, (path, before) => writeFileSync(path, before)),
  },
  {
    name: 'broken TASK.md, given up',
    group,
    strike: (course) =>
      spoilTask(course, (_path, _before, taskId) =>
        course.ask({ kind: 'task.cancel', taskId, reason: null }),
      ),
  },
  {
    name: 'TASK.md edited by hand',
    group,
    strike: async (course) => {
      const taskId = await course.taskIn(RESTING);
      await course.settle();
      if (!course.living.some(({ id }) => id === taskId)) return false;
      const path = join(course.place.home, 'tasks', PROJECT, taskId, 'TASK.md');
      const [field, value] = course.random.pick([
        ['status', 'done'],
        ['status', 'pending'],
        ['status', 'nonsense'],
        ['workspace', 'shop--9'],
        ['tmux_session', 'null'],
        ['review_round', '7'],
        ['branch', 'main'],
        ['updated_at', '2001-01-01T00:00:00.000Z'],
      ]);
      const text = readFileSync(path, 'utf8');
      const isDown = course.random.chance(0.5);
      if (isDown) await course.daemon.end();
      const edited = text.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: ${value}`);
      writeFileSync(path, edited);
      course.ledger.forgetSummaries(taskId);
      if (isDown) await course.start();
      await pause(400);
      if (value === 'nonsense') writeFileSync(path, text);
      return edited !== text;
    },
  },
  {
    name: 'broken outbox entry',
    group,
    strike: async (course) => {
      await course.daemon.end();
      const folder = join(course.place.home, 'run', 'outbox');
      const path = join(folder, '000000000000.json');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, course.random.pick(GARBAGE));
      const isUp = await course.start();
      if (isUp) await actAtRandom(course);
      rmSync(path, { force: true });
      return isUp;
    },
  },
];

async function spoilTask(course, mend) {
  const taskId = await course.taskIn(RESTING);
  await course.settle();
  // What somebody did meanwhile may have ended the task; a file that is over is nobody's to mend.
  if (!course.living.some(({ id }) => id === taskId)) return false;
  const path = join(course.place.home, 'tasks', PROJECT, taskId, 'TASK.md');
  const before = readFileSync(path, 'utf8');
  course.ledger.forgetSummaries(taskId);
  await spoil(course, path, course.random.chance(0.4));
  await mend(path, before, taskId);
  await pause(200);
  return true;
}
