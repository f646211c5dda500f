import { describe, expect, it } from 'vitest';
import {
  chooseAction,
  checkSettledPool,
  crashOnce,
  randomFrom,
  STEPPING,
  STEPPING_AGENT,
  taskIds,
} from './crash-course.js';
import { agentProcesses, checkTask, outboxOf } from './daemon-checks.js';
import { createRig } from './orange-rig.js';

const KILLS_PER_COURSE = 9;

describe('a daemon that is killed at any moment', () => {
  it.each([1, 2, 3])('F1 F66 loses and doubles nothing, course %i', async (seed) => {
    await using rig = await createRig({
      agents: { stepping: STEPPING_AGENT },
      poolSize: 3,
      policy: { settle_ms: 60, max_review_rounds: 3, crash_limit: 5 },
    });
    const random = randomFrom(Number(process.env['ORANGE_TEST_SEED'] ?? 0) + seed);
    const holder = await rig.create('holder', 'Holder', '--no-spawn', ...STEPPING);
    let kills = 0;
    for (let step = 1; kills < KILLS_PER_COURSE; step += 1) {
      kills += await crashOnce(rig, { random, step, holder });
      await checkSettledPool(rig);
    }
    const live = taskIds(rig).filter((id) => id !== holder);
    for (const id of live) {
      const isAtRest = (): boolean =>
        ['reviewing', 'done', 'cancelled', 'pending'].includes(rig.field(id, 'status') ?? '');
      await rig.until(`rest of ${id}\n${rig.describe(id)}`, isAtRest);
    }
    for (const id of taskIds(rig)) {
      const status = rig.field(id, 'status');
      if (status === 'reviewing') await rig.must('task', 'merge', id, '--yes');
      else if (status !== 'done' && status !== 'cancelled')
        await rig.must('task', 'cancel', id, '--yes');
    }
    await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
    await checkSettledPool(rig);
    const log = rig.git(
      rig.repository,
      'log',
      '--format=%(trailers:key=Orange-Task,valueonly,separator=%x2C)',
      'main',
    );
    for (const id of taskIds(rig)) {
      checkTask(rig, id);
      const merges = log.split('\n').filter((line) => line.includes(id)).length;
      expect(merges, rig.describe(id)).toBe(rig.field(id, 'status') === 'done' ? 1 : 0);
      expect(agentProcesses(id, 'worker')).toEqual([]);
      expect(agentProcesses(id, 'reviewer')).toEqual([]);
    }
    expect(chooseAction(rig, random, 0)).not.toBeNull();
  });
});
