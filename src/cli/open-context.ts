import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDiskFiles } from '../adapters/disk-files.js';
import { createProcessTable } from '../adapters/process-table.js';
import { connect } from '../api/client.js';
import type { StartedDaemon } from '../api/ensure-daemon.js';
import { createPaths, defaultHome, type Paths } from '../record/paths.js';
import { blameHome } from './blame-home.js';
import type { CommandContext, Environment, Files, Terminal } from './command-context.js';
import { failed, success, type Result } from '../domain/result.js';
import { waitUntilGone, type ProcessWatch } from './end-daemon.js';
import { createHomeDoctor } from './home-doctor.js';
import { openClients } from './open-client.js';
import { openOffline } from './open-offline.js';
import type { Output } from './output.js';
import type { Replacing } from './replace-older-daemon.js';
import { describeService } from './service/describe-service.js';
import type { Service } from './service/service.js';

/** What a command has to know of the process it runs in. */
export type ProcessFacts = {
  readonly env: Environment;
  readonly cwd: string;
  readonly homedir: string;
  readonly pid: number;
  readonly nodePath: string;
  readonly nodeVersion: string;
  /** The version of this program. */
  readonly version: string;
  readonly platform: string;
  /** The user's number, null where users have none. */
  readonly uid: number | null;
  /** The program file of the daemon. */
  readonly daemonEntry: string;
  readonly terminal: Terminal;
};

/** Puts together what a command may use; everything heavy is loaded when it is first used. */
export function openContext(
  facts: ProcessFacts,
  output: Output,
): CommandContext & { close(): void } {
  const { env, cwd } = facts;
  const home = resolve(cwd, defaultHome(env, facts.homedir));
  const paths = createPaths(home);
  const files = createDiskFiles();
  const actor = isSet(env['ORANGE_ROLE']) ? 'agent' : 'human';
  const processes = watchProcesses();
  const service = describeService(facts, home);
  const daemonHolder = async () => {
    const { findDaemonHolder } = await import('./daemon-holder.js');
    return findDaemonHolder({ files, paths });
  };
  const clients = openClients({
    socketPath: paths.daemonSocket,
    connect,
    spawn: () => startDaemon(facts, { home, files, paths, service }),
    readHome: async () => {
      const { readHome } = await import('./read-home.js');
      return readHome({ files, paths });
    },
    onStarting: () => output.progress('Starting the daemon'),
    onSilent: (pid) =>
      output.progress(`Waiting for the daemon (pid ${pid}), which does not answer`),
    holderPid: async () => (await daemonHolder())?.pid ?? null,
    replacing: actor === 'agent' ? null : replacingBy(facts.version, processes, output),
  });
  return {
    ...clients,
    doctor: createHomeDoctor({
      actor,
      runningClient: () => clients.runningClient(),
      client: () => clients.client(),
      openOffline: () => openOffline({ home, env, pid: facts.pid, version: facts.version }),
    }),
    paths,
    env,
    cwd,
    files,
    output,
    terminal: facts.terminal,
    version: facts.version,
    nodeVersion: facts.nodeVersion,
    ...processes,
    daemonHolder,
    actor,
    service,
    repositories: async () => {
      const { createRepositories } = await import('../adapters/git/repositories.js');
      const { createSystemClock } = await import('../adapters/system-clock.js');
      return createRepositories({ env, files, clock: createSystemClock() });
    },
  };
}

function watchProcesses(): ProcessWatch & { endProcess(pid: number): void } {
  return {
    endProcess: (pid) => createProcessTable().signal({ pid, start: null }, 'SIGTERM'),
    isProcessAlive: (pid) => createProcessTable().isAlive({ pid, start: null }),
    nowMs: () => Date.now(),
    delay: (ms) => delay(ms),
  };
}

function replacingBy(
  version: string,
  processes: ReturnType<typeof watchProcesses>,
  output: Output,
): Replacing {
  return {
    version,
    end: async (pid) => {
      processes.endProcess(pid);
      return waitUntilGone(processes, pid);
    },
    onReplacing: (older) =>
      output.note(
        `The daemon is orange ${older}; it is replaced by ${version}. Agents keep running.`,
      ),
  };
}

async function startDaemon(
  facts: ProcessFacts,
  place: {
    readonly home: string;
    readonly files: Files;
    readonly paths: Paths;
    readonly service: Service | null;
  },
): Promise<Result<StartedDaemon>> {
  const { env, nodePath, daemonEntry } = facts;
  const { home, paths } = place;
  const { startByService } = await import('./service/start-by-service.js');
  if (await startByService({ ...place, env })) return success(STARTED_BY_SERVICE);
  const { spawnDaemon } = await import('../adapters/spawn-daemon.js');
  const logPath = join(paths.runDir, 'daemon.err');
  const marks = { ORANGE_DETACHED: '1' };
  const spawned = await spawnDaemon({ nodePath, daemonEntry, home, env, marks, logPath });
  return spawned.ok ? spawned : failed(blameHome(place.files, home, spawned.failure));
}

// How a service ends is its manager's to tell; here it only has to answer in time.
const STARTED_BY_SERVICE = { exit: () => null };

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
