import { join } from 'node:path';
import { describeBug } from '../domain/describe-bug.js';
import { failpoint } from '../domain/failpoint.js';
import { PROTOCOL_VERSION } from '../api/protocol.js';
import { createServer, type Server } from '../api/server.js';
import { success, type Result } from '../domain/result.js';
import type { LoopLag } from '../domain/task-view.js';
import { isTerminal } from '../domain/status.js';
import { AgentAllowance } from './agent-allowance.js';
import { adoptLaunches } from './mend/adopt-launches.js';
import { MendPace } from './mend/mend-pace.js';
import { answerCall, type CallParts } from './answer-call.js';
import { answerProjects } from './answer-projects.js';
import { adoptWorktrees, answerWorkspaces } from './answer-workspaces.js';
import { assemble, type Assembly, type Programs } from './assemble.js';
import { shimDirectory } from './create-execution.js';
import { clearTemporaries } from './clear-temporaries.js';
import { describeDaemon } from './describe-daemon.js';
import { loadNewTasks, loadTasks } from './load-world.js';
import { trustOf } from './load-settings.js';
import { openHome, type Home } from './open-home.js';
import { postFoundNeeds } from './post-found-needs.js';
import { postLeftDown } from './post-left-down.js';
import { replayOutbox } from './replay-outbox.js';
import { resumeOwed, takeOverOwed } from './take-over-owed.js';
import { watchSettings } from './watch-settings.js';
import { welcomeBack } from './welcome-back.js';
import { releaseWithheld, withholdWorktrees } from './withhold-worktrees.js';
import { repeat, type Repetition } from './repeat.js';

export type DaemonOptions = Programs & {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly version: string;
  rssBytes(): number;
  loopLag(): LoopLag;
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
    version: options.version,
    onLost: () => options.onStopWanted(),
  });
  if (!opened.ok) return opened;
  const started = await superviseHome(opened.value, options);
  if (!started.ok) await opened.value.lock.release();
  return started;
}

async function superviseHome(home: Home, options: DaemonOptions): Promise<Result<Daemon>> {
  const replayed = replayOutbox(home);
  if (!replayed.ok) return replayed;
  const assembly = assemble(home, options.env, options, replayed.value);
  const { world, machine, supervisor, broadcaster, pool } = assembly;
  await adoptLaunches({ ...home, ...machine });
  const { observer, stuck } = assembly;
  const loaded = loadTasks({ ...home, ...machine, world, observer, stuck });
  if (!loaded.ok) return loaded;
  failpoint('start-up.tasks-loaded');
  const locked = assembly.locks.load();
  if (!locked.ok) return locked;
  const shim = writeShim(home, options.programs);
  if (!shim.ok) return shim;
  clearTemporaries(
    { ...home, world },
    replayed.value.owed.map(({ taskId }) => taskId),
  );
  for (const problem of replayed.value.damaged) world.problems.set(problem.file, [problem]);
  const owed = takeOverOwed({ ...machine, world, stuck }, stuck.holdBack(replayed.value.owed));
  withholdWorktrees({ ...home, world }, pool.bound());
  await adoptWorktrees({ ...home, ...machine, world }, pool.available());
  failpoint('start-up.worktrees-adopted');
  const calls = createCalls(assembly, options);
  const server = await createServer({
    socketPath: home.paths.daemonSocket,
    greeting: { orange: options.version, protocol: PROTOCOL_VERSION, pid: options.pid },
    onCall: async (call, open) => answerCall(calls, call, (note) => open.progress(note)),
    log: home.log,
  });
  if (!server.ok) return server;
  failpoint('start-up.serving');
  broadcaster.attach(server.value);
  home.log.write({ event: 'daemon.started', version: options.version, pid: options.pid });
  await machine.commandRecords.endLeft();
  resumeOwed(assembly, owed);
  const timers = superviseOnTimers(assembly);
  watchSettings(assembly, () => refreshSettings(assembly));
  supervisor.watchTasks(world.tasks.keys());
  supervisor.begin();
  assembly.lookout.begin();
  home.lateEdits.recover((id) => world.tasks.get(id)?.fields.project ?? null);
  assembly.notices.begin();
  postLeftDown(world, assembly.notices);
  broadcaster.publish();
  // A worktree may have been taken in that no task and no file of the pool has heard of.
  broadcaster.publishPool();
  mendQuietly(assembly);
  assembly.filler.nudge();
  assembly.prover.nudge();
  assembly.pullRequestWatch.nudge();
  return success({ stop: async () => stopDaemon(assembly, server.value, timers) });
}

function createCalls(assembly: Assembly, options: DaemonOptions): CallParts {
  const { home, machine, world, loop, mender, locks, broadcaster, filler } = assembly;
  const { files, paths, projectsFile } = home;
  const startedAtMs = machine.clock.monotonicMs();
  const trustOfProject = (name: string) => {
    const project = world.projects.get(name);
    return project === undefined ? 'none-needed' : trustOf(files, project);
  };
  return {
    ...machine,
    world,
    loop,
    mender,
    locks,
    allowance: new AgentAllowance(machine.clock),
    now: () => assembly.now(),
    workspacePath: (name) => paths.workspace(name),
    trustOf: trustOfProject,
    answerProject: async (request) => {
      const answer = await answerProjects({ ...machine, world, files, projectsFile }, request);
      refreshSettings(assembly);
      broadcaster.publishProjects(trustOfProject);
      loop.see({ kind: 'schedule' });
      assembly.filler.nudge();
      return answer;
    },
    answerWorkspace: async (request, onStep) => {
      const places = { ...machine, world, files, paths, filler };
      const answer = await answerWorkspaces(places, request, onStep);
      broadcaster.publishProjects(trustOfProject);
      return answer;
    },
    answerSalvage: async (request) => assembly.salvage.answer(request),
    status: () => describeDaemon(assembly, { ...options, startedAtMs }),
    stop: () => options.onStopWanted(),
    refreshSettings: () => refreshSettings(assembly),
    onProgress: (requestId, listener) => assembly.progress.listen(requestId, listener),
  };
}

/** What waits for a setting, such as a Plan for its gate, goes on as soon as that has changed. */
function refreshSettings({ settings, harnesses, world, loop }: Assembly): void {
  const hasChanged = settings.reload();
  harnesses.refreshInstalled();
  if (!hasChanged) return;
  for (const { fields } of world.tasks.values()) {
    if (!isTerminal(fields.status)) loop.see({ kind: 'reconsider', taskId: fields.id });
  }
}

function superviseOnTimers(assembly: Assembly): readonly Repetition[] {
  const { home, machine, world, settings, supervisor, loop, pool, locks } = assembly;
  const sweepMs = (): number => settings.user.sweepSeconds * 1000;
  const sweep = repeat(sweepMs, (periodMs) => {
    // What is tried once more is shown only as it is after that.
    loop.together(() => loop.retryLate());
    pool.retry(world);
    welcomeBack(assembly);
    supervisor.sweep(periodMs);
    if (locks.tend()) loop.see({ kind: 'schedule' });
    tryHinderedAgain(assembly);
  });
  const mendPace = new MendPace();
  const reconcileMs = (): number => settings.user.reconcileSeconds * 1000;
  const reconcile = repeat(reconcileMs, () => {
    refreshSettings(assembly);
    loadNewTasks({ ...home, ...machine, world });
    releaseWithheld({ ...home, world });
    supervisor.reconcile();
    if (mendPace.isDue(world.changes)) mendQuietly(assembly);
    assembly.filler.nudge();
    assembly.pullRequestWatch.nudge();
    assembly.notices.tidy();
    postFoundNeeds(assembly, assembly.notices, assembly.now());
    watchQuietly(assembly);
  });
  return [sweep, reconcile];
}

/**
 * What can be put right without asking is, and what is too old goes, in the background; a bug in it
 * stops nothing else.
 */
function mendQuietly({ mender, salvage, home }: Assembly): void {
  const note = noteBug(home);
  mender.mendSafe().catch(note);
  salvage.tend().catch(note);
}

/** What a limit of the machine stood in the way of must not wait for the next look around. */
function tryHinderedAgain({ mender, filler, trials, home }: Assembly): void {
  mender.mendHindered().catch(noteBug(home));
  trials.tend().catch(noteBug(home));
  filler.retryHindered();
}

function noteBug({ log }: Home): (error: unknown) => void {
  return (error) => log.write({ event: 'mend.failed', level: 'error', bug: describeBug(error) });
}

function watchQuietly({ drift, home }: Assembly): void {
  drift.look().catch((error: unknown) => {
    const bug = describeBug(error);
    home.log.write({ event: 'drift.failed', level: 'error', bug });
  });
}

async function stopDaemon(
  assembly: Assembly,
  server: Server,
  timers: readonly Repetition[],
): Promise<void> {
  const { home, machine, world, loop, pool } = assembly;
  const { mender, supervisor, lookout, notices, filler, prover, pullRequestWatch } = assembly;
  for (const timer of timers) timer.stop();
  for (const part of [supervisor, mender, lookout, notices, filler, prover, pullRequestWatch])
    part.close();
  await Promise.race([loop.drained(), wait(STOP_GRACE_MS)]);
  home.lateEdits.close();
  pool.flush(world);
  failpoint('stop.drained');
  await server.close();
  await machine.sessions.endServerWhenEmpty();
  home.log.write({ event: 'daemon.stopped' });
  await home.log.close();
  await home.lock.release();
  // What they were run for is owed, and the next daemon runs them again.
  machine.commandRecords.killNow();
}

/** Gives agents an `orange` on PATH that is the one which started them. */
function writeShim(home: Home, programs: string): Result<void> {
  const directory = shimDirectory(home);
  const made = home.files.makeDirectory(directory);
  if (!made.ok) return made;
  return home.files.link(join(directory, 'orange'), join(programs, 'orange.js'));
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
