import { createDiskFiles } from '../../adapters/disk-files.js';
import { createSystemClock } from '../../adapters/system-clock.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { Finding, MendClass, MendReport } from '../../domain/finding.js';
import { success, type Result } from '../../domain/result.js';
import type { Log } from '../../ports.js';
import { createHistoryLog, formatEvent } from '../../record/history-log.js';
import { createPaths } from '../../record/paths.js';
import { createPoolFile } from '../../record/pool-file.js';
import { createProjectsFile } from '../../record/projects-file.js';
import { createTaskStore } from '../../record/task-store.js';
import { takenWorkspaces } from '../../engine/world-queries.js';
import { projectOf } from '../build-view.js';
import { fenceFiles } from '../fenced-files.js';
import { appendHistory } from '../history-writer.js';
import { LiveWorld } from '../live-world.js';
import { loadTasks } from '../load-world.js';
import { openHome, type Home } from '../open-home.js';
import { openMachine, type Machine } from '../open-machine.js';
import { PoolKeeper } from '../pool-keeper.js';
import { replayOutbox } from '../replay-outbox.js';
import { SettingsKeeper } from '../settings-keeper.js';
import { Mender } from './mender.js';
import { lookAround } from './take-survey.js';

type Place = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
};

/** A home without its daemon: looked at by anybody, mended by whoever gets its lock. */
export type OfflineHome = {
  diagnose(): Promise<Result<readonly Finding[]>>;
  mend(wanted: MendClass): Promise<Result<MendReport>>;
};

export function openOfflineHome(place: Place): OfflineHome {
  return {
    diagnose: async () => {
      const opened = openReadOnly(place);
      if (!opened.ok) return opened;
      return success((await lookAround(opened.value)).findings);
    },
    mend: async (wanted) => {
      const home = await openHome({ ...place, onLost: () => undefined });
      if (!home.ok) return home;
      try {
        return await mendHome(home.value, place, wanted);
      } finally {
        await home.value.log.close();
        await home.value.lock.release();
      }
    },
  };
}

type DurableHome = Omit<Home, 'lock' | 'outbox' | 'log'> & { readonly log: Log };
type Opened = DurableHome & Machine & { readonly world: LiveWorld };

/** Everything readable, behind a fence that lets no write through. */
function openReadOnly(place: Place): Result<Opened> {
  const paths = createPaths(place.home);
  const files = fenceFiles(createDiskFiles(), () => false);
  return openParts(
    {
      paths,
      files,
      log: { write: () => undefined },
      store: createTaskStore({ files, paths }),
      history: createHistoryLog(files),
      projectsFile: createProjectsFile(files, paths.projectsFile),
      poolFile: createPoolFile(files, paths.poolFile),
    },
    place,
  );
}

function openParts(home: DurableHome, { env }: Place): Result<Opened> {
  const world = new LiveWorld();
  const settings = new SettingsKeeper({ ...home, world, clock: createSystemClock() });
  settings.reload();
  const machine = openMachine(home, env, () => settings.user);
  const loaded = loadTasks({ ...home, ...machine, world });
  if (!loaded.ok) return loaded;
  listWorktrees(home, world);
  return success({ ...home, ...machine, world });
}

/** Worktrees as .pool.json leaves them; one that it does not call free is handed to nobody. */
function listWorktrees({ files, paths, poolFile, log }: DurableHome, world: LiveWorld): void {
  const listed = files.list(paths.workspacesDir);
  const available = new PoolKeeper(poolFile, log).available();
  for (const workspace of listed.ok ? listed.value : []) {
    const project = projectOf(world, workspace);
    if (project === null) continue;
    world.worktrees.add(workspace);
    const isHeld = takenWorkspaces(world, project).has(workspace);
    if (!isHeld && !available.has(workspace)) world.quarantined.add(workspace);
  }
}

async function mendHome(home: Home, place: Place, wanted: MendClass): Promise<Result<MendReport>> {
  const replayed = replayOutbox(home);
  if (!replayed.ok) return replayed;
  const opened = openParts(home, place);
  if (!opened.ok) return opened;
  const { world } = opened.value;
  const mender = new Mender({
    ...opened.value,
    pool: new PoolKeeper(home.poolFile, home.log),
    note: (taskId, event) => noteInHistory(home, world, taskId, event),
    onMended: () => undefined,
  });
  return success(await mender.mend(wanted));
}

function noteInHistory(home: Home, world: LiveWorld, taskId: string, event: EventDraft): void {
  const project = world.tasks.get(taskId)?.fields.project;
  if (project === undefined) return;
  const line = formatEvent(event, new Date().toISOString());
  const noted = appendHistory(home.history, home.paths.historyFile(project, taskId), [line]);
  if (!noted.ok) home.log.write({ event: 'mend.not-noted', level: 'error', task: taskId });
}
