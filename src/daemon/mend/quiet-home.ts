import { createDiskFiles } from '../../adapters/disk-files.js';
import { createSystemClock } from '../../adapters/system-clock.js';
import { connectTmux } from '../../adapters/tmux-server.js';
import type { SurveyedTerminal } from '../../doctor/survey.js';
import { success, type Result } from '../../domain/result.js';
import { takenWorkspaces } from '../../engine/world-queries.js';
import type { Log } from '../../ports.js';
import { createHistoryLog } from '../../record/history-log.js';
import { createOutbox } from '../../record/outbox.js';
import { createPaths } from '../../record/paths.js';
import { createPoolFile } from '../../record/pool-file.js';
import { createProjectsFile } from '../../record/projects-file.js';
import { createTaskStore } from '../../record/task-store.js';
import { projectOf } from '../build-view.js';
import { fenceFiles } from '../fenced-files.js';
import { LiveWorld } from '../live-world.js';
import { loadTasks } from '../load-world.js';
import { hasLivingOwner, identifyOwner } from '../owner-life.js';
import { listPromises } from '../replay-outbox.js';
import { takeOverOwed } from '../take-over-owed.js';
import type { Home } from '../open-home.js';
import { openMachine, terminalSocket, type Machine } from '../open-machine.js';
import { PoolKeeper } from '../pool-keeper.js';
import { SettingsKeeper } from '../settings-keeper.js';
import { withholdWorktrees } from '../withhold-worktrees.js';
import { FinishedFiles } from './finished-files.js';
import { lookAtTerminal } from './look-at-terminal.js';
import type { SurveyParts } from './take-survey.js';

export type Place = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** The version of this program. */
  readonly version: string;
};

type DurableHome = Omit<Home, 'lock' | 'log' | 'lateEdits'> & { readonly log: Log };

/** A home in which nothing goes on: its record and its machine, as a starting daemon finds them. */
export type QuietHome = DurableHome & Machine & SurveyParts & { readonly settings: SettingsKeeper };

/** Everything there is to read, behind a fence that lets no write through. */
export function readQuietHome(place: Place): Result<QuietHome> {
  const paths = createPaths(place.home);
  const files = fenceFiles(createDiskFiles(), () => false);
  const home: DurableHome = {
    paths,
    files,
    log: { write: () => undefined },
    store: createTaskStore({ files, paths }),
    history: createHistoryLog(files),
    outbox: createOutbox({ files, paths }),
    projectsFile: createProjectsFile(files, paths.projectsFile),
    poolFile: createPoolFile(files, paths.poolFile),
  };
  const opened = openQuietHome(home, place);
  if (!opened.ok) return opened;
  const { processes } = opened.value;
  const here = identifyOwner(processes, place.pid);
  return success({
    ...opened.value,
    // One that does not answer still has its socket.
    hasDaemon: hasLivingOwner(processes, paths.runDir, here),
  });
}

export function openQuietHome(home: DurableHome, { env }: Place): Result<QuietHome> {
  const world = new LiveWorld();
  const settings = new SettingsKeeper({ ...home, world, clock: createSystemClock() });
  settings.reload();
  const machine = openMachine(home, env, { settings: () => settings.user, stillnessProgram: null });
  const finished = new FinishedFiles({ ...home, ...machine });
  const loaded = loadTasks({ ...home, ...machine, world });
  if (!loaded.ok) return loaded;
  const promised = listPromises(home);
  if (!promised.ok) return promised;
  takeOverOwed({ ...machine, world }, promised.value);
  listWorktrees(home, world);
  return success({
    ...home,
    ...machine,
    world,
    settings,
    finished,
    isDaemon: false,
    hasDaemon: false,
    lookAtTerminal: async () =>
      findLostServer(home, machine, { env, settings }) ?? lookAtTerminal(machine.sessions),
  });
}

const UNLISTED = { reason: 'the pool does not list it', failures: 0 } as const;

/** Worktrees as .pool.json leaves them; one that it does not call free is handed to nobody. */
function listWorktrees({ files, paths, poolFile, log }: DurableHome, world: LiveWorld): void {
  const listed = files.list(paths.workspacesDir);
  const keeper = new PoolKeeper(poolFile, log);
  const available = keeper.available();
  withholdWorktrees({ files, paths, world }, keeper.bound());
  for (const workspace of listed.ok ? listed.value : []) {
    const project = projectOf(world, workspace);
    if (project === null) continue;
    world.worktrees.add(workspace);
    const isHeld = takenWorkspaces(world, project).has(workspace);
    if (!isHeld && !available.has(workspace)) world.quarantined.set(workspace, UNLISTED);
  }
}

/** A server that lost its socket file: asking it would make it come back, and looking changes nothing. */
function findLostServer(
  { files, paths }: DurableHome,
  { processes }: Machine,
  { env, settings }: { readonly env: Place['env']; readonly settings: SettingsKeeper },
): SurveyedTerminal | null {
  const socket = terminalSocket(env, settings.user, paths);
  const state = files.stat(socket);
  if (!state.ok || state.value.kind !== 'absent') return null;
  const server = connectTmux({ socket, runDir: paths.runDir, env, files, processes }).server();
  return server === null ? null : { kind: 'lost-socket', pid: server.pid, socket };
}
