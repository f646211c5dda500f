import { createDiskFiles } from '../adapters/disk-files.js';
import { createJsonLog, type JsonLog } from '../adapters/json-log.js';
import { createProcessWriters } from '../adapters/process-writers.js';
import { createSystemClock } from '../adapters/system-clock.js';
import type { Project } from '../domain/project.js';
import { failed, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { LASTING_TYPES } from '../engine/replay-history.js';
import { createHistoryLog, type HistoryLog } from '../record/history-log.js';
import type { JsonFile } from '../record/json-file.js';
import { createOutbox, type Outbox } from '../record/outbox.js';
import { createPaths, type Paths } from '../record/paths.js';
import { createPoolFile, type PoolFileStore } from '../record/pool-file.js';
import { createProjectsFile } from '../record/projects-file.js';
import { createTaskStore, type TaskStore } from '../record/task-store.js';
import { fenceFiles } from './fenced-files.js';
import { adoptHomeFormat } from './home-format.js';
import { acquireHomeLock, type HomeLock } from './home-lock.js';
import { LateEdits } from './late-edits.js';

/** The durable part of a home, opened for writing: there is one such per home. */
export type Home = {
  readonly paths: Paths;
  readonly files: Files;
  readonly lock: HomeLock;
  readonly log: JsonLog;
  readonly lateEdits: LateEdits;
  readonly store: TaskStore;
  readonly history: HistoryLog;
  readonly outbox: Outbox;
  readonly projectsFile: JsonFile<readonly Project[]>;
  readonly poolFile: PoolFileStore;
};

export async function openHome(options: {
  readonly home: string;
  readonly pid: number;
  /** The version of this program. */
  readonly version: string;
  readonly onLost: (reason: string) => void;
}): Promise<Result<Home>> {
  const paths = createPaths(options.home);
  const disk = createDiskFiles();
  for (const directory of [paths.home, paths.runDir, paths.tasksDir, paths.workspacesDir]) {
    const made = disk.makeDirectory(directory);
    if (!made.ok) {
      const reason = made.failure.kind === 'io-failed' ? made.failure.code : made.failure.kind;
      return failed({ kind: 'home-unusable', home: directory, reason });
    }
  }
  let log: JsonLog | null = null;
  const lock = await acquireHomeLock({
    home: options.home,
    runDirectory: paths.runDir,
    pid: options.pid,
    onLost: options.onLost,
    onRegained: () => log?.write({ event: 'lock.regained', level: 'warn' }),
  });
  if (!lock.ok) return lock;
  const files = fenceFiles(disk, () => lock.value.isHeld());
  const adopted = adoptHomeFormat({ files, paths, version: options.version });
  if (!adopted.ok) {
    await lock.value.release();
    return adopted;
  }
  log = createJsonLog({ directory: paths.home, file: 'orange.log', level: 'info' });
  const lateEdits = new LateEdits({
    files,
    paths,
    log,
    clock: createSystemClock(),
    writers: createProcessWriters(),
  });
  return success({
    paths,
    files,
    lock: lock.value,
    log,
    lateEdits,
    store: createTaskStore({ files, paths, onReplaced: (file) => lateEdits.add(file) }),
    history: createHistoryLog(files, { lasting: LASTING_TYPES }),
    outbox: createOutbox({ files, paths }),
    projectsFile: createProjectsFile(files, paths.projectsFile),
    poolFile: createPoolFile(files, paths.poolFile),
  });
}
