import { join } from 'node:path';
import { readMode } from '../../adapters/disk-files.js';
import { isTemporaryName } from '../../adapters/disk-steps.js';
import type { Leftover, OpenPath, Survey } from '../../doctor/survey.js';
import { isTerminal } from '../../domain/status.js';
import type { Clock, Files } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import type { LiveWorld } from '../live-world.js';
import type { Depth } from './depth.js';
import { findSurplus } from './find-surplus.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly hasDaemon: boolean;
};

type Seen = Pick<Survey, 'processes' | 'terminal' | 'launchFolders'>;

/** A write takes no longer than this, so what is older belongs to one that was cut off. */
const CUT_OFF_MS = 60_000;

/** Files of cut off writes, launch files of tasks that are over, dead sockets, and the oldest of much. */
export function findLeftovers(parts: Parts, seen: Seen, depth: Depth): readonly Leftover[] {
  return [
    ...findTemporaries(parts, depth).map((path) => ({ path, what: 'temporary' }) as const),
    ...findLaunchFolders(parts, seen).map((path) => ({ path, what: 'launch' }) as const),
    ...findSockets(parts).map((path) => ({ path, what: 'socket' }) as const),
    ...findSurplus(parts).map((path) => ({ path, what: 'surplus' }) as const),
    ...findSetAside(parts).map((path) => ({ path, what: 'set-aside' }) as const),
  ];
}

function findTemporaries(parts: Parts, depth: Depth): readonly string[] {
  const { world, files, paths, clock } = parts;
  const tasks = depth === 'whole' ? [...world.tasks.values()] : [];
  const directories = [
    paths.home,
    paths.runDir,
    paths.outboxDir,
    paths.workspacesDir,
    ...tasks.map(({ fields }) => paths.taskDir(fields.project, fields.id)),
  ];
  return directories.flatMap((directory) => {
    const listed = files.list(directory);
    const names = listed.ok ? listed.value.filter(isTemporary) : [];
    return names
      .map((name) => join(directory, name))
      .filter((path) => {
        const state = files.stat(path);
        if (!state.ok || state.value.kind !== 'file') return false;
        return clock.nowMs() - state.value.stamp.mtimeMs > CUT_OFF_MS;
      });
  });
}

/** What was moved out of the way when a worktree was made anew; its work had been saved before. */
function findSetAside({ files, paths }: Parts): readonly string[] {
  const listed = files.list(paths.workspacesDir);
  const names = listed.ok ? listed.value.filter(isTemporaryName) : [];
  return names
    .map((name) => join(paths.workspacesDir, name))
    .filter((path) => {
      const state = files.stat(path);
      return state.ok && state.value.kind === 'directory';
    });
}

function isTemporary(name: string): boolean {
  return isTemporaryName(name) || /^lock\.owner\.[0-9a-f-]+\.tmp$/.test(name);
}

function findLaunchFolders({ world, paths }: Parts, seen: Seen): readonly string[] {
  const { processes, terminal, launchFolders } = seen;
  // Where nobody can say who still lives, the folder is the only trace of an agent.
  if (processes === null || terminal.kind !== 'listed') return [];
  const living = new Set([
    ...processes.map(({ taskId }) => taskId),
    ...terminal.sessions.flatMap(({ taskId }) => taskId ?? []),
  ]);
  return [...launchFolders]
    .filter((taskId) => {
      const task = world.tasks.get(taskId);
      const isOver = task === undefined || isTerminal(task.fields.status);
      const isBusy = task !== undefined && task.activity !== null;
      return isOver && !isBusy && !living.has(taskId) && !hasProblems(world, taskId);
    })
    .map((taskId) => paths.launchDir(taskId));
}

/** A task that cannot be read now may still be read again. */
function hasProblems(world: LiveWorld, taskId: string): boolean {
  return [...world.problems.keys()].some((file) => file.includes(`/${taskId}`));
}

/** Sockets of dead daemons; one that was killed while it opened its own leaves it without a name. */
function findSockets({ files, paths, hasDaemon }: Parts): readonly string[] {
  const listed = files.list(paths.runDir);
  const nameless = (listed.ok ? listed.value : [])
    .filter((name) => /^\.[0-9a-f]{8}$/.test(name))
    .map((name) => join(paths.runDir, name));
  return [...(hasDaemon ? [] : [paths.daemonSocket]), ...nameless].filter((path) => {
    const state = files.stat(path);
    return state.ok && state.value.kind === 'special';
  });
}

/** What belongs to orange alone and can be read or written by others: nothing, in a closed home. */
export function findOpenPaths({ world, files, paths }: Parts): readonly OpenPath[] {
  const door = readMode(paths.home);
  if (!door.ok || (door.value & 0o077) === 0) return [];
  const tasks = [...world.tasks.values()].map(({ fields: { project, id } }) => ({ project, id }));
  const projects = new Set(tasks.map(({ project }) => project));
  const candidates = [
    paths.home,
    paths.runDir,
    paths.outboxDir,
    paths.tasksDir,
    paths.workspacesDir,
    paths.projectsFile,
    paths.poolFile,
    ...[...projects].map((project) => paths.projectTasksDir(project)),
    ...tasks.flatMap(({ project, id }) => [
      paths.taskDir(project, id),
      paths.taskFile(project, id),
      paths.historyFile(project, id),
    ]),
  ];
  return candidates.flatMap((path): readonly OpenPath[] => {
    const state = files.stat(path);
    const kind = state.ok ? state.value.kind : 'absent';
    if (kind !== 'file' && kind !== 'directory') return [];
    const mode = readMode(path);
    if (!mode.ok || (mode.value & 0o077) === 0) return [];
    return [{ path, mode: mode.value, wanted: kind === 'directory' ? 0o700 : 0o600 }];
  });
}
