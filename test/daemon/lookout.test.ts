import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { Lookout } from '../../src/daemon/lookout.js';
import type { Observation } from '../../src/domain/observation.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { Status } from '../../src/domain/status.js';
import { failed, success, type Result } from '../../src/domain/result.js';
import { buildTaskIn, liveAgent } from '../builders/task.js';
import { temporaryHome } from '../record/temporary-home.js';
import { manualClock, memoryLog } from './daemon-home.js';

const UNREACHABLE = failed({ kind: 'internal', message: 'no answer' } as const);

/** A lookout over tasks in memory whose terminals are counted. */
function openLookout(statuses: readonly Status[], stallMinutes: readonly number[] = [10, 15, 20]) {
  const home = temporaryHome();
  const world = new LiveWorld();
  const policy = { ...DEFAULT_SETTINGS.policy, stallMinutes };
  world.settings.set('', { ...DEFAULT_SETTINGS, policy });
  for (const [index, status] of statuses.entries()) {
    const fields = { id: `task${index}`, tmux_session: `shop/${index}` };
    world.putTask(buildTaskIn(status, { fields, worker: liveAgent('worker', `launch${index}`) }));
  }
  const clock = manualClock();
  const output = new Map<string, number>();
  for (const task of world.tasks.values()) {
    for (const agent of [task.worker, task.reviewer]) {
      if (agent.kind === 'live') output.set(agent.launchId, 0);
    }
  }
  const calls = { listings: 0, captures: [] as string[] };
  const bugs = new Set<string>();
  const slow = new Map<string, Promise<void>>();
  const screens = new Map<string, readonly string[]>();
  const seen: Observation[] = [];
  const log = memoryLog();
  let listing: Result<ReadonlyMap<string, number>> = success(output);
  const lookout = new Lookout({
    files: home.files,
    paths: home.paths,
    world,
    clock,
    env: {},
    log,
    launches: { hasCompany: async () => false },
    harnesses: { find: () => failed({ kind: 'harness-unknown', harness: 'x', known: [] }) },
    sessions: {
      lastOutput: async () => {
        calls.listings += 1;
        return listing;
      },
      capture: async (place) => {
        calls.captures.push(place.session);
        if (bugs.has(place.session)) throw new Error('a bug');
        await slow.get(place.session);
        return success(screens.get(place.session) ?? ['hello']);
      },
    },
  });
  lookout.attach({ see: (observation) => void seen.push(observation) });
  return {
    lookout,
    output,
    calls,
    clock,
    world,
    bugs,
    slow,
    screens,
    seen,
    log,
    break: () => void (listing = UNREACHABLE),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('Lookout', () => {
  it('asks once for all agents, and reads only screens that have changed', async () => {
    using rig = openLookout(Array.from({ length: 50 }, () => 'working' as const));
    await rig.lookout.look();
    expect(rig.calls).toMatchObject({ listings: 1, captures: { length: 50 } });
    rig.calls.captures.length = 0;
    for (let look = 0; look < 10; look += 1) {
      rig.clock.advance(20_000);
      await rig.lookout.look();
    }
    expect(rig.calls).toEqual({ listings: 11, captures: [] });
    rig.output.set('launch7', Math.floor(rig.clock.nowMs() / 1000) - 5);
    rig.clock.advance(20_000);
    await rig.lookout.look();
    expect(rig.calls).toEqual({ listings: 12, captures: ['shop/7'] });
  });

  it('F63 asks nothing at all where every task waits for a person', async () => {
    using rig = openLookout([
      'pending',
      'clarification',
      'reviewing',
      'stuck',
      'done',
      'cancelled',
    ]);
    await rig.lookout.look();
    expect(rig.calls).toEqual({ listings: 0, captures: [] });
  });

  it('F63 finds who waits for somebody where the ladder is turned off, and calls nobody silent', async () => {
    using rig = openLookout(['working', 'working'], []);
    rig.screens.set('shop/0', ['Proceed? [y/N] ']);
    for (let look = 0; look < 200; look += 1) {
      rig.clock.advance(20_000);
      await rig.lookout.look();
    }
    const [waits] = rig.seen;
    expect(waits).toMatchObject({ kind: 'agent-waits', taskId: 'task0', launchId: 'launch0' });
    expect(new Set(rig.seen.map(({ kind }) => kind))).toEqual(new Set(['agent-waits']));
  });

  it('keeps nobody waiting for an agent that is slow to look at', async () => {
    using rig = openLookout(['working', 'working', 'working']);
    const answers: (() => void)[] = [];
    rig.slow.set('shop/0', new Promise((resolve) => void answers.push(resolve)));
    const look = rig.lookout.look();
    await expect.poll(() => rig.calls.captures).toEqual(['shop/0', 'shop/1', 'shop/2']);
    for (const answer of answers) answer();
    await look;
  });

  it('F77 goes on with the others after a bug in the look at one', async () => {
    using rig = openLookout(['working', 'working', 'working']);
    rig.bugs.add('shop/0');
    await rig.lookout.look();
    expect(rig.calls.captures).toEqual(['shop/0', 'shop/1', 'shop/2']);
    expect(rig.log.records).toMatchObject([
      { event: 'look.failed', task: 'task0', bug: expect.stringContaining('a bug') as unknown },
    ]);
  });

  it('F55 makes nothing of a terminal server that does not answer', async () => {
    using rig = openLookout(['working']);
    rig.break();
    await rig.lookout.look();
    expect(rig.calls).toEqual({ listings: 1, captures: [] });
    expect(rig.world.tasks.get('task0')?.attention).toBeNull();
  });
});
