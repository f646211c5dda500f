import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { settingsFor } from '../engine/world-queries.js';
import type { Execution } from '../execute/execution.js';
import type { BindRequest, ReleaseRequest } from '../ports.js';
import { readSections } from '../record/sections.js';
import type { HarnessFinder } from './harness-finder.js';
import type { LeftTrials } from './left-trials.js';
import type { LiveWorld } from './live-world.js';
import type { NoticeBoard } from './notice-board.js';
import type { Home } from './open-home.js';
import type { Machine } from './open-machine.js';
import type { ProgressBook } from './progress-book.js';
import type { TaskStops } from './task-stops.js';

/** Directory with the `orange` that agents find first on PATH. */
export function shimDirectory(home: Home): string {
  return join(home.paths.runDir, 'bin');
}

type Kit = {
  readonly home: Home;
  readonly machine: Machine;
  readonly world: LiveWorld;
  readonly harnesses: HarnessFinder;
  readonly notices: NoticeBoard;
  readonly progress: ProgressBook;
  readonly stops: TaskStops;
  readonly trials: LeftTrials;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** What effects are carried out with. `onTaken` is told of each worktree that a task is about to get. */
export function createExecution(kit: Kit, onTaken: (workspace: string) => void): Execution {
  const { home, machine, world, harnesses, notices, progress, stops, trials, env } = kit;
  const { paths } = home;
  return {
    ...machine,
    repositories: {
      ...machine.repositories,
      bind: async (request) => {
        onTaken(basename(request.worktree));
        return bindKnown(kit, request);
      },
      release: (request) => releaseKnown(kit, request),
    },
    home: paths.home,
    daemonEnv: env,
    shimDirectory: shimDirectory(home),
    hookDirectory: join(home.paths.runDir, 'hooks'),
    files: home.files,
    log: home.log,
    findTask: (taskId) => world.tasks.get(taskId) ?? null,
    findProject: (name) => world.projects.get(name) ?? null,
    settingsFor: (project) => settingsFor(world, project),
    findHarness: (project, name) => harnesses.find(project, name),
    poolOf: (project) => settingsFor(world, project).pool,
    tellStep: (taskId, step) => progress.tell(taskId, step),
    whileWanted: async (taskId, work) => stops.during(taskId, work),
    workspacePath: (name) => paths.workspace(name),
    setupLog: (workspace) => paths.setupLog(workspace),
    sectionsOf: (project, taskId) => {
      const read = home.store.read(project, taskId, 'claimed');
      return read.ok ? readSections(read.value.record.body).sections : {};
    },
    taskFile: (project, taskId) => paths.taskFile(project, taskId),
    launchDirectory: (taskId) => paths.launchDir(taskId),
    transcriptFile: (project, taskId, name) => join(paths.transcriptsDir(project, taskId), name),
    testResultFile: (project, taskId, name) => join(paths.testResultsDir(project, taskId), name),
    artifactFile: (project, taskId, name) => join(paths.artifactsDir(project, taskId), name),
    trialPlace: (taskId) => trials.place(taskId),
    postNotice: (taskId, cause) => notices.post(taskId, cause),
    newConversationId: () => randomUUID(),
  };
}

/** A worktree that was made for a task is there, whatever becomes of the start. */
async function bindKnown(
  { machine, world }: Pick<Kit, 'machine' | 'world'>,
  request: BindRequest,
): ReturnType<Machine['repositories']['bind']> {
  const bound = await machine.repositories.bind(request);
  if (bound.ok) world.worktrees.add(basename(request.worktree));
  return bound;
}

/** A worktree that somebody took away is not free when its task is over: it is not there. */
async function releaseKnown(
  { machine, world, home }: Pick<Kit, 'machine' | 'world' | 'home'>,
  request: ReleaseRequest,
): ReturnType<Machine['repositories']['release']> {
  const released = await machine.repositories.release(request);
  const state = home.files.stat(request.worktree);
  const isGone = state.ok && state.value.kind === 'absent';
  if (released.ok && isGone) world.worktrees.delete(basename(request.worktree));
  return released;
}
