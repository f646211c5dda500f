import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POOL_SIZE, PROJECT } from './place.mjs';
import { pause } from './wait.mjs';

// What has to happen so that a failpoint is reached. `prepare` runs before the fault is armed, `act`
// after; both get the course, and `act` also what `prepare` gave.
const nothing = async () => null;
const makeRoom = (course) => course.makeRoom();
const resize = (course, poolSize) =>
  course.ask({ kind: 'project.update', name: PROJECT, path: null, defaultBranch: null, poolSize });
const fillPool = (course) => course.ask({ kind: 'workspace.init', project: PROJECT });
const merge = (course, taskId) =>
  course.ask({ kind: 'task.merge', taskId, strategy: null, push: true, message: null });
const isMergeable = ({ fields }) => fields.harness !== 'messy' && fields.pr_url === null;
const cancel = (course, taskId) => course.ask({ kind: 'task.cancel', taskId, reason: 'why not' });

/** Puts what no cleaning takes away into a free worktree, so that it has to be made anew. */
const spoil = (course) => {
  const held = new Set(course.living.map(({ fields }) => fields.workspace));
  const names = Array.from({ length: POOL_SIZE }, (_, index) => `${PROJECT}--${index + 1}`);
  const places = names
    .filter((name) => !held.has(name))
    .map((name) => join(course.place.home, 'workspaces', name));
  const free = places.find((path) => existsSync(join(path, '.git')));
  if (free === undefined) return;
  mkdirSync(join(free, 'TASK.md'), { recursive: true });
  writeFileSync(join(free, 'TASK.md', '.gitignore'), '*\n');
};
const mend = (course, ...classes) =>
  course.daemon.client?.call({
    method: 'mend',
    order: { classes, reach: 'asked' },
    actor: 'human',
  });

/** A free worktree has been looked through by then. */
const LOOKED_THROUGH_MS = 2500;

export const RECIPES = {
  start: { prepare: nothing, act: nothing },
  create: { prepare: makeRoom, act: (course) => course.create() },
  /** A start in a worktree that was looked through, once one start has put a gate in store. */
  ahead: {
    prepare: makeRoom,
    act: async (course) => {
      await course.create();
      await course.settle();
      await course.makeRoom();
      await course.settle();
      await pause(LOOKED_THROUGH_MS);
      await course.create();
    },
  },
  save: { prepare: makeRoom, act: (course) => course.create({ worker: 'saver' }) },
  crash: { prepare: makeRoom, act: (course) => course.create({ worker: 'crasher' }) },
  failReview: { prepare: makeRoom, act: (course) => course.create({ reviewer: 'strict' }) },
  projects: {
    prepare: nothing,
    act: (course) => resize(course, POOL_SIZE),
  },
  cancel: {
    prepare: (course) =>
      course.taskIn(['reviewing'], { worker: 'messy' }, ({ fields }) => fields.harness === 'messy'),
    act: cancel,
  },
  restore: {
    prepare: async (course) => {
      const taskId = await RECIPES.cancel.prepare(course);
      await cancel(course, taskId);
      return taskId;
    },
    act: (course, taskId) =>
      course.ask({
        kind: 'salvage.restore',
        project: PROJECT,
        ref: `refs/orange/salvage/${taskId}/1`,
        into: null,
        branch: null,
      }),
  },
  merge: {
    prepare: (course) => course.taskIn(['reviewing'], {}, isMergeable),
    act: merge,
  },
  finalize: {
    prepare: (course) => course.taskIn(['reviewing']),
    act: (course, taskId) => course.ask({ kind: 'task.finalize', taskId }),
  },
  pullRequest: {
    prepare: (course) => course.taskIn(['reviewing'], {}, ({ fields }) => fields.pr_url === null),
    act: (course, taskId) =>
      course.ask({
        kind: 'task.pr-create',
        taskId,
        isDraft: course.random.chance(0.5),
        title: null,
        body: null,
        base: null,
      }),
  },
  rename: {
    prepare: (course) => course.taskIn(['reviewing', 'working']),
    act: (course, taskId) =>
      course.ask({ kind: 'task.update', taskId, branch: `named-${course.random.below(1e9)}` }),
  },
  update: {
    prepare: (course) => course.taskIn(['reviewing', 'working', 'stuck', 'clarification']),
    act: (course, taskId) =>
      course.ask({ kind: 'task.update', taskId, summary: `At ${course.random.below(1e9)}` }),
  },
  requeue: {
    prepare: (course) => course.taskIn(['working', 'planning'], { worker: 'hanger' }),
    act: (course, taskId) => course.ask({ kind: 'task.update', taskId, status: 'pending' }),
  },
  tell: {
    prepare: (course) => course.liveTask(),
    act: (course, taskId) => course.ask({ kind: 'task.send', taskId, text: 'Well?' }),
  },
  delete: {
    prepare: async (course) => {
      const taskId = await course.taskIn(['working', 'reviewing', 'planning', 'pending', 'stuck']);
      await cancel(course, taskId);
      return taskId;
    },
    act: (course, taskId) => course.ask({ kind: 'task.delete', taskId }),
  },
  grow: {
    prepare: async (course) => {
      await resize(course, POOL_SIZE);
      await course.ask({ kind: 'workspace.gc', project: PROJECT });
      await resize(course, POOL_SIZE + 1);
    },
    act: fillPool,
  },
  shrink: {
    prepare: async (course) => {
      await resize(course, POOL_SIZE + 1);
      await fillPool(course);
      await resize(course, POOL_SIZE);
    },
    act: (course) => course.ask({ kind: 'workspace.gc', project: PROJECT }),
  },
  rebuild: {
    prepare: async (course) => {
      await course.makeRoom();
      await course.settle();
      await fillPool(course);
      spoil(course);
    },
    act: (course) => mend(course, 'quarantined', 'worktree-without-task'),
  },
  tornHistory: {
    prepare: async (course) => {
      const id = await course.taskIn(['reviewing', 'working', 'stuck', 'clarification']);
      await course.settle();
      await course.daemon.end();
      const file = join(course.place.home, 'tasks', PROJECT, id, 'history.jsonl');
      appendFileSync(file, '{"type":"task.upd');
      return id;
    },
    act: (course, taskId) => course.ask({ kind: 'task.update', taskId, summary: 'After a tear' }),
  },
  /** Leaves an intent behind, so that the next start has something to replay. */
  owed: {
    prepare: async (course) => {
      await course.makeRoom();
      await course.daemon.end();
      await course.start({ failpoint: 'move.committed:kill' });
      await course.create();
      await course.daemon.awaitEnd(20_000);
    },
    act: nothing,
  },
  stop: {
    prepare: nothing,
    act: async (course) => {
      if (course.random.chance(0.5)) void course.create();
      await course.daemon.end('SIGTERM');
    },
  },
};

export const BY_PREFIX = [
  ['projects-file.', 'projects'],
  ['transcript.', 'failReview'],
  ['history.tail-cut', 'tornHistory'],
  ['cancel.', 'cancel'],
  ['update.', 'update'],
  // A start needs a free worktree; an edit replaces a TASK.md in any case.
  ['disk.kept', 'update'],
  ['release.before-branch-goes', 'merge'],
  ['release.', 'cancel'],
  ['salvage.', 'cancel'],
  ['rebuild.', 'rebuild'],
  ['restore.', 'restore'],
  ['merge.', 'merge'],
  ['trial.', 'merge'],
  ['push.', 'merge'],
  ['finalize.', 'finalize'],
  ['pull-request.', 'pullRequest'],
  ['handoff.', 'create'],
  ['command.begun', 'merge'],
  ['rename.', 'rename'],
  ['delete.', 'delete'],
  ['tell.', 'tell'],
  ['end.', 'cancel'],
  ['adopt.', 'save'],
  ['worktree.', 'grow'],
  ['setup.', 'grow'],
  ['pool.worktree-made', 'grow'],
  ['pool.before-worktree-goes', 'shrink'],
  ['replay.history-completed', 'owed'],
  ['stop.', 'stop'],
  ['lock.before-release', 'stop'],
  ['lock.', 'start'],
  ['socket.', 'start'],
  ['start-up.', 'start'],
  ['replay.', 'start'],
  ['create.', 'create'],
  ['spawn.', 'create'],
  ['review.', 'create'],
  ['launch.opened-ahead', 'ahead'],
  ['launch.', 'create'],
  ['bind.', 'create'],
];
