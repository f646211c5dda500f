import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentVigil } from '../../src/daemon/agent-vigil.js';
import { failed, success } from '../../src/domain/result.js';
import { currentAttention, watchedAgent } from '../../src/engine/stall-policy.js';
import { buildWorld, START_MS } from '../builders/world.js';
import { eventTypes } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';
import { temporaryHome } from '../record/temporary-home.js';

const LADDER = [10, 15, 20];
export const LOOK_MS = 20_000;
export const MINUTE = 60_000;

/** One agent of one task at work, on a clock of the test's own, and what orange makes of it. */
export function keepVigil({ harness = 'claude' } = {}) {
  const disposable = temporaryHome();
  const { home } = disposable.paths;
  const worktree = join(home, 'worktree');
  const gitDirectory = join(home, 'git');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    // Files are dated by the test's clock.
    utimesSync(path, state.wallMs / 1000, state.wallMs / 1000);
  };
  const state = { nowMs: 0, wallMs: START_MS, outputAt: 0, hasCompany: false };
  let screen: readonly string[] | null = ['● Reading'];
  write(join(worktree, 'README.md'), 'hello');
  write(join(gitDirectory, 'index'), '');

  const sim = new Simulation(buildWorld());
  const id = sim.create();
  sim.carryOut();
  const parts = {
    files: disposable.files,
    sessions: {
      capture: async () =>
        screen === null
          ? failed({ kind: 'not-found', what: 'window', name: 'worker' } as const)
          : success(screen),
    },
    launches: { hasCompany: async () => state.hasCompany },
    clock: { nowMs: () => state.wallMs, monotonicMs: () => state.nowMs },
  };
  const place = {
    launchId: watchedAgent(sim.task(id))?.launchId ?? '',
    worktree,
    harness,
    place: { session: 'shop/dark-mode', window: 'worker' },
    files: { taskFile: join(home, 'TASK.md'), gitDirectory, transcript: null },
  };
  const start = (): AgentVigil => new AgentVigil(parts, place, sim.task(id), LADDER);
  let vigil = start();
  const passTime = (ms: number): void => {
    state.nowMs += ms;
    state.wallMs += ms;
    sim.elapsedMs += ms;
  };
  const show = (lines: readonly string[]): void => {
    screen = lines;
    state.outputAt = Math.floor(state.wallMs / 1000);
  };
  const look = async (): Promise<string | null> => {
    const seen = await vigil.look(sim.task(id), state.outputAt, LADDER);
    if (seen !== null) sim.see(seen);
    return seen?.kind ?? null;
  };
  /** Looks as often as usual for so long; `meanwhile` happens before each look. */
  const watch = async (minutes: number, meanwhile?: (look: number) => void): Promise<void> => {
    for (let index = 0; index < (minutes * MINUTE) / LOOK_MS; index += 1) {
      passTime(LOOK_MS);
      meanwhile?.(index);
      await look();
    }
  };
  return {
    sim,
    id,
    state,
    worktree,
    gitDirectory,
    taskFile: place.files.taskFile,
    write,
    show,
    hide: () => void (screen = null),
    passTime,
    look,
    watch,
    vigil: () => vigil,
    [Symbol.dispose]: () => disposable[Symbol.dispose](),
    restart: () => void (vigil = start()),
    attention: () => currentAttention(sim.task(id)),
    events: () =>
      eventTypes(sim.history(id)).filter((type) => /stalled|resumed|polled|waiting/.test(type)),
  };
}

export type VigilRig = ReturnType<typeof keepVigil>;
