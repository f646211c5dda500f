import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDiskFiles } from '../adapters/disk-files.js';
import { createProcessTable } from '../adapters/process-table.js';
import { connect } from '../api/client.js';
import { createPaths, defaultHome } from '../record/paths.js';
import type { CommandContext, Environment, Terminal } from './command-context.js';
import { createHomeDoctor } from './home-doctor.js';
import { openClients } from './open-client.js';
import { openOffline } from './open-offline.js';
import type { Output } from './output.js';

/** What a command has to know of the process it runs in. */
export type ProcessFacts = {
  readonly env: Environment;
  readonly cwd: string;
  readonly homedir: string;
  readonly pid: number;
  readonly nodePath: string;
  readonly nodeVersion: string;
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
  const clients = openClients({
    socketPath: paths.daemonSocket,
    connect,
    spawn: async () => {
      const { spawnDaemon } = await import('../adapters/spawn-daemon.js');
      return spawnDaemon({
        nodePath: facts.nodePath,
        daemonEntry: facts.daemonEntry,
        home,
        env,
        logPath: join(paths.runDir, 'daemon.err'),
      });
    },
    readHome: async () => {
      const { readHome } = await import('./read-home.js');
      return readHome({ files, paths });
    },
    onStarting: () => output.progress('Starting the daemon'),
  });
  const actor = isSet(env['ORANGE_ROLE']) ? 'agent' : 'human';
  return {
    ...clients,
    doctor: createHomeDoctor({
      actor,
      runningClient: () => clients.runningClient(),
      openOffline: () => openOffline({ home, env, pid: facts.pid }),
    }),
    paths,
    env,
    cwd,
    files,
    output,
    terminal: facts.terminal,
    nodeVersion: facts.nodeVersion,
    endProcess: (pid) => createProcessTable().signal({ pid, start: null }, 'SIGTERM'),
    isProcessAlive: (pid) => createProcessTable().isAlive({ pid, start: null }),
    actor,
    nowMs: () => Date.now(),
    delay: (ms) => delay(ms),
    repositories: async () => {
      const { createRepositories } = await import('../adapters/git/repositories.js');
      const { createSystemClock } = await import('../adapters/system-clock.js');
      return createRepositories({ env, files, clock: createSystemClock() });
    },
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
