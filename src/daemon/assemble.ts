import { join } from 'node:path';
import { customAlphabet } from 'nanoid';
import { createSystemClock } from '../adapters/system-clock.js';
import { describeBug } from '../domain/describe-bug.js';
import type { Effect } from '../domain/effect.js';
import type { Moment, Observation } from '../domain/observation.js';
import { TASK_ID_ALPHABET, TASK_ID_LENGTH } from '../domain/task-id.js';
import { measureDrift } from '../execute/measure-drift.js';
import { executeEffect } from '../execute/execute-effect.js';
import type { Execution } from '../execute/execution.js';
import { createTaskFileObserver, type TaskFileObserver } from '../observe/task-file-observer.js';
import { Broadcaster } from './broadcaster.js';
import { createExecution } from './create-execution.js';
import { DriftWatch } from './drift-watch.js';
import { createHarnessFinder, type HarnessFinder } from './harness-finder.js';
import { LeftTrials } from './left-trials.js';
import { LiveWorld } from './live-world.js';
import { LockBook } from './lock-book.js';
import { Lookout } from './lookout.js';
import { Loop } from './loop.js';
import { LostLaunches } from './lost-launches.js';
import { createMender } from './mend/create-mender.js';
import type { Mender } from './mend/mender.js';
import { momentOf } from './moment-of.js';
import type { NoticeBoard } from './notice-board.js';
import type { Home } from './open-home.js';
import { openMachine, type Machine } from './open-machine.js';
import { openNotices } from './open-notices.js';
import { IdleProver } from './idle-prover.js';
import { PoolFiller } from './pool-filler.js';
import { PoolKeeper } from './pool-keeper.js';
import { PullRequestWatch } from './pull-request-watch.js';
import { ProgressBook } from './progress-book.js';
import { createTaskFileSource } from './read-task-content.js';
import { Recorder } from './recorder.js';
import { SalvageKeeper } from './salvage-keeper.js';
import type { Replayed } from './replay-outbox.js';
import { SettingsKeeper } from './settings-keeper.js';
import { StuckMoves } from './stuck-moves.js';
import { Supervisor } from './supervisor.js';
import { TaskStops } from './task-stops.js';

export type Programs = {
  readonly nodePath: string;
  /** Directory of the built programs: the CLI and the demo agent lie beside the daemon. */
  readonly programs: string;
};

/** All parts of a running daemon, put together in one place. */
export type Assembly = {
  readonly home: Home;
  readonly machine: Machine;
  readonly world: LiveWorld;
  readonly settings: SettingsKeeper;
  readonly harnesses: HarnessFinder;
  readonly observer: TaskFileObserver;
  readonly supervisor: Supervisor;
  readonly lookout: Lookout;
  readonly notices: NoticeBoard;
  readonly pool: PoolKeeper;
  readonly broadcaster: Broadcaster;
  readonly loop: Loop;
  readonly mender: Mender;
  readonly salvage: SalvageKeeper;
  readonly locks: LockBook;
  readonly drift: DriftWatch;
  readonly progress: ProgressBook;
  readonly filler: PoolFiller;
  readonly prover: IdleProver;
  readonly pullRequestWatch: PullRequestWatch;
  readonly stuck: StuckMoves;
  readonly trials: LeftTrials;
  now(): Moment;
};

export function assemble(
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
  programs: Programs,
  { nextSeq: firstSeq, stuck: stuckMoves }: Pick<Replayed, 'nextSeq' | 'stuck'>,
): Assembly {
  const { paths, log, store } = home;
  const world = new LiveWorld();
  const settings = readSettings(home, world);
  const stillnessProgram = join(programs.programs, 'orange-stillness.js');
  const machine = openMachine(home, env, { settings: () => settings.user, stillnessProgram });
  const harnesses = findHarnesses(world, env, programs);
  const { clock } = machine;
  const observer = createTaskFileObserver({ source: createTaskFileSource(home), clock });
  const supervisor = openSupervisor({ home, machine, world, observer, mender: () => mender });
  const lookout = new Lookout({ ...home, ...machine, world, harnesses, env });
  const pool = new PoolKeeper(home.poolFile, log);
  const now = (): Moment => momentOf(clock);
  const broadcaster = openBroadcaster({ home, world, supervisor, pool, now });
  const notices = openNotices({ home, machine, world, settings, broadcaster, now });
  const progress = new ProgressBook({ world, publish: () => broadcaster.publish() });
  const stops = new TaskStops();
  const trials = new LeftTrials({ ...home, ...machine, world });
  const kit = { home, machine, world, harnesses, notices, progress, stops, trials, env };
  const execution = createExecution(kit, (workspace) => prover.take(workspace));
  const stuck = new StuckMoves(home, stuckMoves);
  const onKept = (kept: Observation): void => loop.see(kept);
  const loop: Loop = new Loop({
    world,
    clock,
    log,
    paths,
    recorder: new Recorder({ ...home, world, observer, firstSeq, onKept }),
    execute: async (effect) => carryOut(execution, lookout, effect),
    stuckBecause: (taskId) => stuck.failureOf(taskId),
    look: (taskId, look) => supervisor.look(taskId, look),
    newId: customAlphabet(TASK_ID_ALPHABET, TASK_ID_LENGTH),
    onSettled: () => {
      broadcaster.publish();
      filler.nudge();
      prover.nudge();
    },
    onProgress: (requestId, effect) => progress.begin(requestId, effect),
    onAnswered: (requestId) => {
      pool.flush(world);
      progress.forget(requestId);
    },
    stops,
  });
  supervisor.attach(loop);
  const prover: IdleProver = openProver({ home, machine, world, loop });
  const parts = { home, machine, world, settings, harnesses, supervisor, pool, broadcaster, loop };
  const filler: PoolFiller = openFiller({ ...parts, prover, env });
  const mender: Mender = createMender({ ...parts, filler });
  lookout.attach(loop);
  home.lateEdits.attach(store, (seen) => loop.take(seen));
  const kept = { stuck, trials, observer, lookout, mender, notices, progress, filler, prover };
  const late = { salvage: openSalvage(parts), pullRequestWatch: watchPullRequests(parts) };
  return { ...parts, ...kept, ...late, ...openReservations({ ...parts, execution }), now };
}

function readSettings(home: Home, world: LiveWorld): SettingsKeeper {
  const settings = new SettingsKeeper({ ...home, world, clock: createSystemClock() });
  settings.reload();
  return settings;
}

function openBroadcaster({
  home,
  ...parts
}: Pick<Assembly, 'home' | 'world' | 'supervisor' | 'pool' | 'now'>): Broadcaster {
  return new Broadcaster({ ...parts, workspacePath: (name) => home.paths.workspace(name) });
}

function openSupervisor({
  home,
  machine,
  mender,
  ...parts
}: Pick<Assembly, 'home' | 'machine' | 'world' | 'observer'> & {
  readonly mender: () => Mender;
}): Supervisor {
  const lost = new LostLaunches({ ...home, ...machine });
  const onOutlived = (): void => mendSoon(home, mender());
  return new Supervisor({ ...home, ...machine, ...parts, lost, onOutlived });
}

function mendSoon({ log }: Home, mender: Mender): void {
  mender.mendSoon().catch((error: unknown) => {
    log.write({ event: 'mend.failed', level: 'error', bug: describeBug(error) });
  });
}

function findHarnesses(
  world: LiveWorld,
  env: Readonly<Record<string, string | undefined>>,
  { nodePath, programs }: Programs,
): HarnessFinder {
  const demo = { nodePath, agentPath: join(programs, 'orange-demo-agent.js') };
  const harnesses = createHarnessFinder({ world, demo, path: env['PATH'] ?? '' });
  harnesses.refreshInstalled();
  return harnesses;
}

function openFiller(
  parts: Pick<Assembly, 'home' | 'machine' | 'world' | 'loop' | 'broadcaster' | 'prover'> & {
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): PoolFiller {
  const { home, machine, loop, broadcaster } = parts;
  return new PoolFiller({
    ...home,
    ...machine,
    world: parts.world,
    env: parts.env,
    isIdle: () => loop.isIdle,
    onFilled: () => {
      broadcaster.publishPool();
      parts.prover.nudge();
    },
  });
}

function openProver({
  home,
  machine,
  world,
  loop,
}: Pick<Assembly, 'home' | 'machine' | 'world' | 'loop'>): IdleProver {
  return new IdleProver({ ...home, ...machine, world, isIdle: () => loop.isIdle });
}

function openSalvage({
  home,
  machine,
  world,
  loop,
  settings,
}: Pick<Assembly, 'home' | 'machine' | 'world' | 'loop' | 'settings'>): SalvageKeeper {
  const keepDays = (): number | null => settings.user.salvage.keepDays;
  return new SalvageKeeper({ ...home, ...machine, world, loop, keepDays });
}

function watchPullRequests({
  home,
  machine,
  world,
  loop,
}: Pick<Assembly, 'home' | 'machine' | 'world' | 'loop'>): PullRequestWatch {
  const workspacePath = (name: string): string => home.paths.workspace(name);
  const see = (seen: Observation): void => loop.see(seen);
  return new PullRequestWatch({ ...machine, world, log: home.log, workspacePath, see });
}

/** What is reserved by hand, and who changes more than was declared. */
function openReservations(
  parts: Pick<Assembly, 'home' | 'machine' | 'world' | 'loop'> & { readonly execution: Execution },
): Pick<Assembly, 'locks' | 'drift'> {
  const { home, machine, world, loop, execution } = parts;
  const newId = customAlphabet(TASK_ID_ALPHABET, LOCK_ID_LENGTH);
  const drift = new DriftWatch({
    ...home,
    ...machine,
    world,
    measure: async (taskId) => measureDrift(execution, taskId),
    see: (seen) => loop.see(seen),
  });
  return { locks: new LockBook({ ...home, world, clock: machine.clock, newId }), drift };
}

const LOCK_ID_LENGTH = 8;

/** Carries out an effect; what orange types into a terminal is no sign of life of the agent there. */
async function carryOut(
  execution: Execution,
  lookout: Lookout,
  effect: Effect,
): Promise<Observation | null> {
  if (effect.kind === 'notify-human' && effect.cause === 'waiting-for-human') lookout.hurry();
  if (effect.kind !== 'tell-agent') return executeEffect(execution, effect);
  return lookout.whileTelling(effect.taskId, async () => executeEffect(execution, effect));
}
