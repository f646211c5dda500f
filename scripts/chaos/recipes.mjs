import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './place.mjs';

// What has to happen so that a failpoint is reached. `prepare` runs before the fault is armed, `act`
// after; both get the course, and `act` what `prepare` gave.
const nothing = async () => null;
const create = { prepare: (course) => course.makeRoom(), act: (course) => course.create() };
const holder = (course) =>
  course.taskIn(['working', 'agent-review', 'reviewing'], { worker: 'hanger' });

const RECIPES = {
  create,
  projects: {
    prepare: nothing,
    act: (course) =>
      course.ask({
        kind: 'project.update',
        name: PROJECT,
        path: null,
        defaultBranch: null,
        poolSize: 3 + course.random.below(2),
      }),
  },
  crash: {
    prepare: (course) => course.makeRoom(),
    act: (course) => course.create({ worker: 'crasher' }),
  },
  cancel: {
    prepare: (course) => course.taskIn(['planning', 'working', 'reviewing'], { worker: 'messy' }),
    act: (course, taskId) => course.ask({ kind: 'task.cancel', taskId, reason: 'why not' }),
  },
  tornHistory: {
    prepare: async (course) => {
      const id = await holder(course);
      await course.settle();
      await course.daemon.end();
      const file = join(course.place.home, 'tasks', PROJECT, id, 'history.jsonl');
      appendFileSync(file, '{"type":"task.upd');
      return id;
    },
    act: (course, taskId) =>
      course.ask({ kind: 'task.update', taskId, summary: 'After a torn line' }),
  },
};

const BY_PREFIX = [
  ['projects-file.', RECIPES.projects],
  ['transcript.', RECIPES.crash],
  ['history.tail-cut', RECIPES.tornHistory],
  ['cancel.', RECIPES.cancel],
];

export function recipeFor(failpoint) {
  return BY_PREFIX.find(([prefix]) => failpoint.startsWith(prefix))?.[1] ?? RECIPES.create;
}
