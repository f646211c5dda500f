import { platform } from 'node:os';
import { createRepositories } from '../adapters/git/repositories.js';
import { createPullRequests } from '../adapters/github/pull-requests.js';
import { findOccupants } from '../adapters/find-occupants.js';
import { createLaunchRecords } from '../adapters/launch-records.js';
import { createNotifier } from '../adapters/notify-desktop.js';
import { createProcessTable, type ProcessTable } from '../adapters/process-table.js';
import { runCommand } from '../adapters/run-command.js';
import { createCommandRecords, type CommandRecords } from '../adapters/command-records.js';
import { createProjectCommands } from '../adapters/run-project-command.js';
import { createServerFate } from '../adapters/server-fate.js';
import { createStillness } from '../adapters/stillness.js';
import { createSystemClock } from '../adapters/system-clock.js';
import { createSessions, type TerminalSessions } from '../adapters/tmux-sessions.js';
import { createWatching } from '../adapters/watch-directory.js';
import { isUnbound } from '../api/is-unbound.js';
import type { Settings } from '../domain/settings.js';
import type {
  Clock,
  Files,
  LaunchRecords,
  Log,
  Notifier,
  ProjectCommands,
  PullRequests,
  Repositories,
  Stillness,
  Watching,
} from '../ports.js';
import type { Paths } from '../record/paths.js';

/** The machine around the home: terminals, git, processes, the clock. */
export type Machine = {
  readonly sessions: TerminalSessions;
  readonly launches: LaunchRecords;
  readonly processes: ProcessTable;
  readonly repositories: Repositories;
  readonly notifier: Notifier;
  readonly commands: ProjectCommands;
  readonly commandRecords: CommandRecords;
  readonly pullRequests: PullRequests;
  readonly watching: Watching;
  readonly clock: Clock;
};

/** Where orange's own tmux server listens: the environment, the settings, else the home. */
export function terminalSocket(
  env: Readonly<Record<string, string | undefined>>,
  settings: Settings,
  paths: Paths,
): string {
  return env['ORANGE_TMUX_SOCKET'] ?? settings.tmuxSocket ?? paths.tmuxSocket;
}

export function openMachine(
  home: { readonly files: Files; readonly paths: Paths; readonly log: Log },
  env: Readonly<Record<string, string | undefined>>,
  {
    settings,
    stillnessProgram,
  }: {
    readonly settings: () => Settings;
    /** What watches over idle worktrees; null for a look around that starts no task. */
    readonly stillnessProgram: string | null;
  },
): Machine {
  const { files, paths, log } = home;
  const processes = createProcessTable();
  const clock = createSystemClock();
  const commandRecords = createCommandRecords({
    directory: paths.commandsDir,
    files,
    processes,
    log,
  });
  const commands = createProjectCommands({ files, clock, records: commandRecords });
  const socket = terminalSocket(env, settings(), paths);
  const fate = createServerFate();
  return {
    sessions: createSessions({ socket, runDir: paths.runDir, env, files, processes, fate, log }),
    processes,
    launches: createLaunchRecords({ runDir: paths.runDir, files, processes, fate }),
    repositories: createRepositories({
      env,
      files,
      clock,
      log,
      commands,
      findOccupants: (directory) => findOccupants(processes, directory),
      stillness: stillnessProgram === null ? null : watchIdle(home, stillnessProgram),
      isUnbound,
    }),
    notifier: createNotifier({
      env,
      platform: platform(),
      settings: () => settings().notify,
      run: runCommand,
      log,
    }),
    commands,
    commandRecords,
    pullRequests: createPullRequests(env),
    watching: createWatching(),
    clock,
  };
}

function watchIdle(
  { paths, log }: { readonly paths: Paths; readonly log: Log },
  program: string,
): Stillness {
  return createStillness(program, { notes: paths.stillnessDir }, (reason) =>
    log.write({ event: 'pool.watch-failed', level: 'warn', reason }),
  );
}
