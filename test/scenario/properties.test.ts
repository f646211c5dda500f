import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/effect.js';
import type { Observation } from '../../src/domain/observation.js';
import { gateMode } from '../../src/engine/gates.js';
import { explainWait } from '../../src/engine/schedule.js';
import { freeWorkspace } from '../../src/engine/world-queries.js';
import type { Activity, TaskState } from '../../src/domain/world.js';
import { isStatus } from '../../src/domain/status.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { buildProject, buildSettings, buildWorld, momentAt } from '../builders/world.js';
import { LEGAL_MOVES } from '../builders/legal-moves.js';
import { eventsOf, movesOf } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';
import { steps, type Step } from './random-steps.js';
import { takeStep, type Run } from './take-step.js';

const LEGAL = new Set(LEGAL_MOVES);
const CRASH_LIMIT = 2;
const MAX_ROUNDS = 2;
const POOL_SIZE = 2;
const RUNS = { numRuns: 300 };

const settings = buildSettings({
  policy: { crashLimit: CRASH_LIMIT, maxReviewRounds: MAX_ROUNDS, respawnBackoffSeconds: [0, 5] },
});

function begin(onSeen: Run['onSeen'] = () => undefined): Run {
  const world = buildWorld({ settings, projects: [buildProject({ pool_size: POOL_SIZE })] });
  return { sim: new Simulation(world), results: [], copies: new Map(), onSeen };
}

const EFFECT_OF: Readonly<Record<Activity, Effect['kind']>> = {
  starting: 'start-agent',
  merging: 'merge-branch',
  releasing: 'release-workspace',
  renaming: 'rename-branch',
  finalizing: 'finalize',
  checking: 'run-checks',
  publishing: 'open-pull-request',
};

type Invariant = (sim: Simulation) => void;

/** Runs the steps and holds an invariant against every state in between. */
function always(invariant: Invariant): (path: readonly Step[]) => void {
  return (path) => {
    const run = begin();
    for (const step of path) {
      takeStep(run, step);
      invariant(run.sim);
    }
  };
}

function walk(path: readonly Step[]): Run {
  const run = begin();
  for (const step of path) takeStep(run, step);
  return run;
}

function eachTask(check: (sim: Simulation, taskId: string) => void): Invariant {
  return (sim) => {
    for (const taskId of sim.kept.world.tasks.keys()) check(sim, taskId);
  };
}

describe('whatever happens, in whatever order', () => {
  it('ORA-63 ORA-64 ORA-65 ORA-66 ORA-67 ORA-68 ORA-69 ORA-70 ORA-71 the walks below reach every status by every move', () => {
    const seen = new Set<string>();
    for (const path of fc.sample(steps, { numRuns: 1500, seed: 7 })) {
      const { sim } = walk(path);
      for (const { history } of sim.kept.files.values()) {
        for (const move of movesOf(history)) seen.add(move);
      }
    }
    const missing = LEGAL_MOVES.filter((move) => !seen.has(move));
    expect(missing).toEqual([]);
  });

  it('ORA-72 ORA-73 every move is legal, leaves one event, and the events lead to the status', () => {
    const invariant = eachTask((sim, taskId) => {
      const history = sim.history(taskId);
      const moves = movesOf(history);
      const { fields } = sim.task(taskId);
      const begun = moves[0]?.split('>')[0] ?? fields.status;
      const end = moves.reduce((status, move) => {
        const isLegal = LEGAL.has(move) && move.startsWith(`${status}>`);
        return isLegal ? (move.split('>')[1] ?? '') : `illegal ${move} from ${status}`;
      }, begun);
      if (end !== fields.status || !isStatus(end)) expect(end).toBe(fields.status);
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('crash_count stays within the limit, and every count has its event', () => {
    const invariant = eachTask((sim, taskId) => {
      const { crash_count: count } = sim.task(taskId).fields;
      const crashes = eventsOf(sim.history(taskId), 'agent.crashed');
      const launches = new Set(crashes.map((event) => event['launch']));
      const isRight =
        count <= CRASH_LIMIT && crashes.length >= count && launches.size === crashes.length;
      if (!isRight) expect({ count, crashes }).toBe('within the limit, each end counted once');
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('review_round passes the maximum only as often as a human sent the task back', () => {
    const invariant = eachTask((sim, taskId) => {
      const sentBack = eventsOf(sim.history(taskId), 'status.changed').filter(
        ({ from, to, by }) =>
          by === 'human' &&
          (from === 'stuck' || from === 'reviewing') &&
          (to === 'working' || to === 'planning'),
      );
      const round = sim.task(taskId).fields.review_round;
      if (round > MAX_ROUNDS + sentBack.length) expect(round).toBe(MAX_ROUNDS);
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('no more worktrees are taken than the pool has, and none twice', () => {
    const path = always((sim) => {
      const taken = [...sim.kept.world.tasks.values()].flatMap(({ fields, reservedWorkspace }) => [
        ...new Set([fields.workspace, reservedWorkspace].filter((each) => each !== null)),
      ]);
      const isShared = new Set(taken).size < taken.length;
      const isFoul = taken.some((workspace) => sim.kept.world.quarantined.has(workspace));
      if (isShared || isFoul || taken.length > POOL_SIZE) expect(taken).toBe('clean and no more');
    });
    fc.assert(fc.property(steps, path), RUNS);
  });

  it('at most one worker and one reviewer of a task are being started', () => {
    const path = always((sim) => {
      const starts = sim.owed.flatMap((effect) =>
        effect.kind === 'start-agent' ? [`${effect.taskId} ${effect.role}`] : [],
      );
      if (new Set(starts).size < starts.length) expect(starts).toBe('one of each');
    });
    fc.assert(fc.property(steps, path), RUNS);
  });

  it('something under way is always something that is owed', () => {
    const invariant = eachTask((sim, taskId) => {
      const { activity } = sim.task(taskId);
      const kinds = sim.owed.filter((effect) => effect.taskId === taskId).map(({ kind }) => kind);
      if (activity !== null && !kinds.includes(EFFECT_OF[activity])) {
        expect(kinds).toContain(EFFECT_OF[activity]);
      }
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('what is seen a second time changes nothing', () => {
    const property = fc.property(steps, (path) => {
      const run = begin((observation) => {
        const before = snapshotOf(run.sim);
        if (!isFinal(observation)) return;
        run.sim.see(observation);
        expect(snapshotOf(run.sim)).toEqual(before);
      });
      for (const step of path) takeStep(run, step);
    });
    fc.assert(property, RUNS);
  });

  it('what an effect once led to changes nothing when it is heard again later', () => {
    const property = fc.property(steps, (path) => {
      const run = begin();
      for (const step of path) {
        takeStep(run, step);
        for (const result of run.results.filter((each) => isOver(run.sim, each))) {
          if ('taskId' in result) run.sim.see({ kind: 'reconsider', taskId: result.taskId });
          const before = snapshotOf(run.sim);
          run.sim.see(result);
          expect(snapshotOf(run.sim)).toEqual(before);
        }
      }
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('once the outside works again, every task has its agent or a reason to wait', () => {
    const property = fc.property(steps, (path) => {
      const { sim } = walk(path);
      for (const _ of [1, 2, 3]) calmDown(sim);
      for (const task of sim.kept.world.tasks.values()) expect(waitsFor(sim, task)).not.toBeNull();
    });
    fc.assert(property, RUNS);
  });

  it('a history read from its beginning says what the engine remembers', () => {
    const invariant = eachTask((sim, taskId) => {
      const task = sim.task(taskId);
      const replay = replayHistory(sim.history(taskId));
      expect({
        handoffStamp: replay.handoffStamp,
        reviewStartedRound: replay.reviewStartedRound,
        stuckBecause: replay.stuckBecause,
        cameFrom: replay.cameFrom,
        untold: replay.undelivered?.message,
        gates: { ...replay.gates, planWaitsSince: replay.gates.planWaitsSince !== null },
      }).toEqual({
        handoffStamp: task.handoffStamp,
        reviewStartedRound: task.reviewStartedRound,
        stuckBecause: task.stuckBecause,
        cameFrom: task.cameFrom,
        untold: task.undelivered?.message,
        gates: { ...task.gates, planWaitsSince: task.gates.planWaitsSince !== null },
      });
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });
});

/** Whole files, effects that work, and time enough for every back-off. */
function calmDown(sim: Simulation): void {
  for (const taskId of sim.kept.world.tasks.keys()) {
    sim.writeAndSettle(taskId, {});
    sim.carryOut();
    sim.wait(120_000, taskId);
    sim.carryOut();
  }
}

/** What a task that does not move waits for, or null when it was forgotten. */
function waitsFor(sim: Simulation, task: TaskState): string | null {
  const { status, project, workspace } = task.fields;
  const isFull = workspace === null && freeWorkspace(sim.kept.world, project) === null;
  if (task.activity !== null || task.claims !== null) return null;
  switch (status) {
    case 'pending':
      return explainWait(sim.kept.world, task, momentAt(sim.elapsedMs))[0]?.code ?? null;
    case 'planning':
    case 'working':
      if (task.worker.kind === 'live') return 'its worker';
      return isFull ? 'a worktree' : planGate(task);
    case 'agent-review':
      if (task.reviewer.kind === 'live') return 'its reviewer';
      return isFull ? 'a worktree' : null;
    case 'clarification':
    case 'reviewing':
    case 'stuck':
      return 'a human';
    case 'done':
    case 'cancelled':
      return workspace === null ? 'nothing' : null;
  }
}

function planGate(task: TaskState): string | null {
  const isClosed = gateMode(task, settings, 'plan') === 'human' && task.artifacts.hasValidPlan;
  return task.fields.status === 'planning' && isClosed ? 'the approval of its plan' : null;
}

/** A message can fail to arrive twice; everything else happens once. */
function isFinal({ kind }: Observation): boolean {
  return kind !== 'tell-failed';
}

/** Whether a result is of the past: nothing of its kind is under way again. */
function isOver(sim: Simulation, result: Observation): boolean {
  if (!('taskId' in result) || !isFinal(result)) return false;
  const activity = sim.kept.world.tasks.get(result.taskId)?.activity ?? null;
  // A start is known by its launch; the others by nothing but being under way.
  return activity === null || activity === 'starting';
}

function snapshotOf(sim: Simulation): unknown {
  return {
    tasks: [...sim.kept.world.tasks.values()],
    files: [...sim.kept.files.values()],
    quarantined: [...sim.kept.world.quarantined],
    owed: sim.owed,
  };
}
