import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { customAlphabet } from 'nanoid';
import { PROTOCOL_VERSION } from '../api/protocol.js';
import { createServer, type Server } from '../api/server.js';
import type { Effect } from '../domain/effect.js';
import type { Moment } from '../domain/observation.js';
import { success, type Result } from '../domain/result.js';
import { isTerminal } from '../domain/status.js';
import { TASK_ID_ALPHABET, TASK_ID_LENGTH } from '../domain/task-id.js';
import { isRunning } from '../engine/world-queries.js';
import { executeEffect } from '../execute/execute-effect.js';
import type { Execution } from '../execute/execution.js';
import { createTaskFileObserver } from '../observe/task-file-observer.js';
import { answerCall, type CallParts } from './answer-call.js';
import { answerProjects } from './answer-projects.js';
import { adoptWorktrees, answerWorkspaces } from './answer-workspaces.js';
import { Broadcaster } from './broadcaster.js';
import { createHarnessFinder } from './harness-finder.js';
import { LiveWorld } from './live-world.js';
import { loadTasks, markOwed } from './load-world.js';
import { trustOf } from './load-settings.js';
import { Loop } from './loop.js';
import { openHome, type Home } from './open-home.js';
import { openMachine, type Machine } from './open-machine.js';
import { PoolKeeper } from './pool-keeper.js';
import { createTaskFileSource } from './read-task-content.js';
import { createRecorder } from './recorder.js';
import { replayOutbox } from './replay-outbox.js';
import { SettingsKeeper } from './settings-keeper.js';
import { Supervisor } from './supervisor.js';

export type DaemonOptions = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly nodePath: string;
  /** Directory of the built programs: the CLI and the demo agent lie beside the daemon. */
  readonly programs: string;
  readonly version: string;
  rssBytes(): number;
  /** Somebody asked the daemon to stop, or its home was taken from it. */
  onStopWanted(): void;
};

export type Daemon = { stop(): Promise<void> };

const STOP_GRACE_MS = 2500;

/** Opens the home, brings to an end what an earlier daemon left, and supervises from then on. */
export async function startDaemon(options: DaemonOptions): Promise<Result<Daemon>> {
  const opened = await openHome({
    home: options.home,
    pid: options.pid,
    onLost: () => options.onStopWanted(),
  });
  if (!opened.ok) return opened;
  const home = opened.value;
  const started = await superviseHome(home, options);
  if (!started.ok) await home.lock.release();
  return started;
}

async function superviseHome(home: Home, options: DaemonOptions): Promise<Result<Daemon>> {
  const { files, paths, log, store, projectsFile } = home;
  const world = new LiveWorld();
  const settings = new SettingsKeeper({ world, files, paths, log, projectsFile });
  settings.reload();
  const machine = openMachine(home, options.env, () => settings.user);
  const harnesses = createHarnessFinder({
    world,
    demo: {
      nodePath: options.nodePath,
      agentPath: join(options.programs, 'orange-demo-agent.js'),
    },
    path: options.env['PATH'] ?? '',
  });
  harnesses.refreshInstalled();
  const replayed = replayOutbox(home);
  if (!replayed.ok) return replayed;
  const loaded = loadTasks({ ...home, world, ...machine });
  if (!loaded.ok) return loaded;
  const source = createTaskFileSource({ files, paths, store });
  const observer = createTaskFileObserver({ source, clock: machine.clock });
  const supervisor = new Supervisor({ ...home, ...machine, world, observer });
  const pool = new PoolKeeper(home.poolFile, log);
  const shimDirectory = join(paths.runDir, 'bin');
  const shim = writeShim(home, options, shimDirectory);
  if (!shim.ok) return shim;
  const execution: Execution = {
    ...machine,
    home: options.home,
    daemonEnv: options.env,
    shimDirectory,
    files,
    log,
    findTask: (taskId) => world.tasks.get(taskId) ?? null,
    findProject: (name) => world.projects.get(name) ?? null,
    findHarness: (project, name) => harnesses.find(project, name),
    workspacePath: (name) => paths.workspace(name),
    taskFile: (project, taskId) => paths.taskFile(project, taskId),
    launchDirectory: (taskId) => paths.launchDir(taskId),
    newConversationId: () => randomUUID(),
  };
  const progress = new Map<string, (effect: Effect) => void>();
  const now = (): Moment => momentOf(machine);
  const views = { world, now, workspacePath: (name: string) => paths.workspace(name) };
  const broadcaster = new Broadcaster({ ...views, supervisor, pool });
  const loop = new Loop({
    world,
    clock: machine.clock,
    log,
    recorder: createRecorder({ ...home, world, observer, firstSeq: replayed.value.nextSeq }),
    execute: async (effect) => executeEffect(execution, effect),
    look: (taskId, look) => supervisor.look(taskId, look),
    newId: customAlphabet(TASK_ID_ALPHABET, TASK_ID_LENGTH),
    onSettled: () => broadcaster.publish(),
    onProgress: (requestId, effect) => progress.get(requestId)?.(effect),
  });
  supervisor.attach(loop);
  for (const { effects } of replayed.value.owed) {
    for (const effect of effects) markOwed(world, effect);
  }
  const startedAtMs = machine.clock.monotonicMs();
  const calls: CallParts = {
    ...views,
    ...machine,
    loop,
    trustOf: (name) => {
      const project = world.projects.get(name);
      return project === undefined ? 'none-needed' : trustOf(files, project);
    },
    answerProject: async (request) => {
      const answer = await answerProjects({ world, files, projectsFile, ...machine }, request);
      settings.reload();
      harnesses.refreshInstalled();
      broadcaster.publishProjects(calls);
      loop.see({ kind: 'schedule' });
      return answer;
    },
    answerWorkspace: async (request) => {
      const answer = await answerWorkspaces({ world, files, paths, ...machine }, request);
      broadcaster.publishProjects(calls);
      return answer;
    },
    status: () => ({
      running: true,
      pid: options.pid,
      uptime_s: Math.round((machine.clock.monotonicMs() - startedAtMs) / 1000),
      version: options.version,
      socket: paths.daemonSocket,
      home: options.home,
      tasks: [...world.tasks.values()].filter(({ fields }) => !isTerminal(fields.status)).length,
      sessions: countSessions(world),
      rss_bytes: options.rssBytes(),
    }),
    stop: () => options.onStopWanted(),
    onProgress: (requestId, listener) => void progress.set(requestId, listener),
  };
  await adoptWorktrees({ world, files, paths, ...machine }, pool.available());
  const server = await createServer({
    socketPath: paths.daemonSocket,
    greeting: { orange: options.version, protocol: PROTOCOL_VERSION, pid: options.pid },
    onCall: async (call, open) => answerCall(calls, call, (note) => open.progress(note)),
    log,
  });
  if (!server.ok) return server;
  broadcaster.attach(server.value);
  log.write({ event: 'daemon.started', version: options.version, pid: options.pid, tasks: world.tasks.size });
  for (const owed of replayed.value.owed) loop.resume(owed.taskId, owed);
  const timers = superviseOnTimers({ settings, harnesses, supervisor, loop });
  supervisor.watchTasks(world.tasks.keys());
  supervisor.reconcile();
  broadcaster.publish();
  return success({
    stop: async () => stopDaemon({ home, machine, server: server.value, loop, supervisor, timers }),
  });
}

function superviseOnTimers(parts: {
  readonly settings: SettingsKeeper;
  readonly harnesses: { refreshInstalled(): void };
  readonly supervisor: Supervisor;
  readonly loop: Loop;
}): readonly NodeJS.Timeout[] {
  const { settings, harnesses, supervisor, loop } = parts;
  const sweep = setInterval(() => {
    loop.retryLate();
    supervisor.sweep();
  }, settings.user.sweepSeconds * 1000);
  const reconcile = setInterval(() => {
    settings.reload();
    harnesses.refreshInstalled();
    supervisor.reconcile();
  }, settings.user.reconcileSeconds * 1000);
  return [sweep, reconcile];
}

async function stopDaemon(parts: {
  readonly home: Home;
  readonly machine: Machine;
  readonly server: Server;
  readonly loop: Loop;
  readonly supervisor: Supervisor;
  readonly timers: readonly NodeJS.Timeout[];
}): Promise<void> {
  const { home, machine, server, loop, supervisor, timers } = parts;
  for (const timer of timers) clearInterval(timer);
  supervisor.close();
  await Promise.race([loop.drained(), wait(STOP_GRACE_MS)]);
  await server.close();
  await machine.sessions.endServerWhenEmpty();
  home.log.write({ event: 'daemon.stopped' });
  await home.log.close();
  await home.lock.release();
}

/** Gives agents an `orange` on PATH that is the one which started them. */
function writeShim(home: Home, options: DaemonOptions, directory: string): Result<void> {
  const made = home.files.makeDirectory(directory);
  if (!made.ok) return made;
  return home.files.link(join(directory, 'orange'), join(options.programs, 'orange.js'));
}

function momentOf({ clock }: Machine): Moment {
  const nowMs = clock.nowMs();
  return { nowMs, monotonicMs: clock.monotonicMs(), timestamp: new Date(nowMs).toISOString() };
}

function countSessions(world: LiveWorld): number {
  const tasks = [...world.tasks.values()];
  return tasks.filter((task) => isRunning(task.worker) || isRunning(task.reviewer)).length;
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
