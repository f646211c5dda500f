import type { Broadcaster } from '../broadcaster.js';
import type { HarnessFinder } from '../harness-finder.js';
import type { LiveWorld } from '../live-world.js';
import { loadNewTasks } from '../load-world.js';
import type { Loop } from '../loop.js';
import type { Home } from '../open-home.js';
import type { Machine } from '../open-machine.js';
import type { PoolFiller } from '../pool-filler.js';
import type { PoolKeeper } from '../pool-keeper.js';
import type { SettingsKeeper } from '../settings-keeper.js';
import type { Supervisor } from '../supervisor.js';
import { FinishedFiles } from './finished-files.js';
import { lookAtTerminal } from './look-at-terminal.js';
import { Mender } from './mender.js';

const PASSING_MS = 500;

/** The daemon's own mender: what it does to a task goes through the loop like everything else. */
export function createMender(parts: {
  readonly home: Home;
  readonly machine: Machine;
  readonly world: LiveWorld;
  readonly settings: SettingsKeeper;
  readonly harnesses: HarnessFinder;
  readonly pool: PoolKeeper;
  readonly loop: Loop;
  readonly supervisor: Supervisor;
  readonly broadcaster: Broadcaster;
  readonly filler: Pick<PoolFiller, 'nudge'>;
}): Mender {
  const { home, machine, world, settings, harnesses, pool, loop, broadcaster, supervisor } = parts;
  return new Mender({
    ...home,
    ...machine,
    isDaemon: true,
    hasDaemon: true,
    world,
    pool,
    finished: new FinishedFiles({ ...home, ...machine }),
    lookAtTerminal: async () => lookAtTerminal(machine.sessions),
    note: (taskId, event) => loop.see({ kind: 'mended', taskId, event }),
    passingMs: PASSING_MS,
    isBusyWith: (taskId) => loop.isBusyWith(taskId),
    respawn: async (taskId) => loop.ask({ kind: 'task.respawn', taskId }, 'human'),
    restoreFile: async (taskId) => loop.ask({ kind: 'task.restore', taskId }, 'human'),
    refresh: () => {
      loadNewTasks({ ...home, ...machine, world });
      supervisor.reconcile();
    },
    onKept: (kept) => loop.see(kept),
    judge: (taskId) => supervisor.judge(taskId),
    reloadSettings: () => {
      settings.reload();
      harnesses.refreshInstalled();
    },
    onMended: () => {
      broadcaster.publishPool();
      loop.see({ kind: 'schedule' });
      parts.filler.nudge();
    },
  });
}
