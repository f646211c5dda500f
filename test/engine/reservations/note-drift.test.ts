import { describe, expect, it } from 'vitest';
import { findDrift } from '../../../src/engine/reservations/note-drift.js';
import { buildProject, buildWorld } from '../../builders/world.js';
import { explainTask } from '../../../src/engine/inbox.js';
import { momentAt } from '../../builders/world.js';
import { eventsOf } from '../../fakes/history-queries.js';
import { Simulation } from '../../fakes/simulation.js';

describe('drift', () => {
  it.each([
    [['src/'], ['src/a.ts', 'src/b/c.ts'], []],
    [['src/*.ts'], ['src/a.ts', 'src/b/c.ts', 'README.md'], ['src/b/c.ts', 'README.md']],
    [['src/a.ts'], ['src/a.ts', 'TASK.md'], []],
    [['src/a.ts', 'auth area'], ['lib/x.ts'], ['lib/x.ts']],
    [['.'], ['anything/at/all'], []],
  ])('of %j that changed %j is %j', (declared, changed, beyond) => {
    expect(findDrift(declared, changed)).toEqual({ paths: beyond, count: beyond.length });
  });

  it('cannot be told where only areas were declared, or nothing', () => {
    expect(findDrift(['auth area'], ['a'])).toBeNull();
    expect(findDrift([], ['a'])).toBeNull();
  });

  it('names the first files and counts all of them', () => {
    const changed = Array.from({ length: 80 }, (_, at) => `lib/${at}.ts`);
    const drift = findDrift(['src/'], changed);
    expect([drift?.count, drift?.paths.length]).toEqual([80, 50]);
  });

  it('is looked at when the work is handed over, told once, and warns others only', () => {
    const sim = new Simulation(buildWorld({ projects: [buildProject({ pool_size: 9 })] }));
    const ids = ['src/', 'lib/'].map((path) => {
      const id = sim.create();
      sim.carryOut();
      sim.writeAndSettle(id, { Plan: `TOUCHING: ${path}` });
      return id;
    });
    const [first = '', second = ''] = ids;
    sim.writeAndSettle(first, { Handoff: 'DONE: it' });
    expect(sim.carryOut()).toContainEqual({ kind: 'measure-drift', taskId: first });
    const seen = { kind: 'diff-seen', taskId: first, paths: ['src/a.ts', 'lib/b.ts'] } as const;
    sim.see(seen);
    sim.see(seen);
    expect(eventsOf(sim.history(first), 'touch.drift')).toMatchObject([
      { count: 1, paths: ['lib/b.ts'] },
    ]);
    expect(sim.task(first).fields.status).toBe('agent-review');
    const reasons = explainTask(sim.kept.world, sim.task(second), momentAt(sim.elapsedMs));
    expect(reasons).toMatchObject([{ code: 'overlap' }]);
  });
});
