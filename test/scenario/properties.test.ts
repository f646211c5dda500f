import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/effect.js';
import type { Observation } from '../../src/domain/observation.js';
import type { Activity } from '../../src/domain/world.js';
import { isStatus } from '../../src/domain/status.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { buildProject, buildSettings, buildWorld } from '../builders/world.js';
import { LEGAL_MOVES } from '../builders/legal-moves.js';
import { eventsOf, movesOf } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';
import { steps, type Step } from './random-steps.js';
import { takeStep, type Run } from './take-step.js';

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

function eachTask(check: (sim: Simulation, taskId: string) => void): Invariant {
  return (sim) => {
    for (const taskId of sim.kept.world.tasks.keys()) check(sim, taskId);
  };
}

describe('whatever happens, in whatever order', () => {
  it('ORA-72 ORA-73 every move is legal, leaves one event, and the events lead to the status', () => {
    const invariant = eachTask((sim, taskId) => {
      const history = sim.history(taskId);
      const moves = movesOf(history);
      const { fields } = sim.task(taskId);
      expect(isStatus(fields.status)).toBe(true);
      for (const [index, move] of moves.entries()) {
        expect(LEGAL_MOVES).toContain(move);
        const before = moves[index - 1];
        if (before !== undefined) expect(move.split('>')[0]).toBe(before.split('>')[1]);
      }
      if (moves.length > 0) expect(moves.at(-1)?.split('>')[1]).toBe(fields.status);
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('crash_count stays within the limit, and every count has its event', () => {
    const invariant = eachTask((sim, taskId) => {
      const { crash_count: count } = sim.task(taskId).fields;
      expect(count).toBeLessThanOrEqual(CRASH_LIMIT);
      const crashes = eventsOf(sim.history(taskId), 'agent.crashed');
      expect(crashes.length).toBeGreaterThanOrEqual(count);
      const launches = crashes.map((event) => event['launch']);
      expect(new Set(launches).size).toBe(launches.length);
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
      expect(round).toBeLessThanOrEqual(MAX_ROUNDS + sentBack.length);
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });

  it('no more worktrees are taken than the pool has, and none twice', () => {
    const path = always((sim) => {
      const taken = [...sim.kept.world.tasks.values()].flatMap(({ fields, reservedWorkspace }) => [
        ...new Set([fields.workspace, reservedWorkspace].filter((each) => each !== null)),
      ]);
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken.length).toBeLessThanOrEqual(POOL_SIZE);
      for (const workspace of taken) expect(sim.kept.world.quarantined).not.toContain(workspace);
    });
    fc.assert(fc.property(steps, path), RUNS);
  });

  it('at most one worker and one reviewer of a task are being started', () => {
    const path = always((sim) => {
      const starts = sim.owed.flatMap((effect) =>
        effect.kind === 'start-agent' ? [`${effect.taskId} ${effect.role}`] : [],
      );
      expect(new Set(starts).size).toBe(starts.length);
    });
    fc.assert(fc.property(steps, path), RUNS);
  });

  it('something under way is always something that is owed', () => {
    const invariant = eachTask((sim, taskId) => {
      const { activity } = sim.task(taskId);
      const kinds = sim.owed.filter((effect) => effect.taskId === taskId).map(({ kind }) => kind);
      if (activity !== null) expect(kinds).toContain(EFFECT_OF[activity]);
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

  it('a history read from its beginning says what the engine remembers', () => {
    const invariant = eachTask((sim, taskId) => {
      const task = sim.task(taskId);
      const replay = replayHistory(sim.history(taskId));
      expect({
        handoffStamp: replay.handoffStamp,
        reviewStartedRound: replay.reviewStartedRound,
        cameFrom: replay.cameFrom,
      }).toEqual({
        handoffStamp: task.handoffStamp,
        reviewStartedRound: task.reviewStartedRound,
        cameFrom: task.cameFrom,
      });
    });
    fc.assert(fc.property(steps, always(invariant)), RUNS);
  });
});

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
