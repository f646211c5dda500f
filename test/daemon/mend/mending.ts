import { mkdirSync } from 'node:fs';
import { createProcessTable } from '../../../src/adapters/process-table.js';
import { Mender, type MenderParts } from '../../../src/daemon/mend/mender.js';
import { PoolKeeper } from '../../../src/daemon/pool-keeper.js';
import type { EventDraft } from '../../../src/domain/history-event.js';
import { success } from '../../../src/domain/result.js';
import { createPoolFile } from '../../../src/record/pool-file.js';
import { fakeLaunches, type DaemonHome } from '../daemon-home.js';

export const WORKSPACE = 'shop--1';
export const UNCLEAN = { reason: 'it is not clean', failures: 0 };

/** Git in whose repositories all is well, but for what is told. */
export function gitLike(
  told: Partial<MenderParts['repositories']> = {},
): MenderParts['repositories'] {
  return {
    findLocks: () => [],
    findVanished: async () => success([]),
    clearLocks: async () => success(undefined),
    inspectWorktree: async () => success({ branch: null, unrest: null }),
    branchCheckedOutAt: async () => success(null),
    release: async () => success({ salvageRef: null }),
    rebuild: async () => success({ salvageRef: null }),
    ensureWorktree: async () => success(undefined),
    forgetVanished: async () => success({ salvageRef: null }),
    ...told,
  };
}

/** A mender over a home on the real disk; tmux, git and the process table are told. */
export function mending(home: DaemonHome, told: Partial<MenderParts> = {}) {
  const notes: (readonly [string, EventDraft])[] = [];
  const poolFile = createPoolFile(home.files, home.paths.poolFile);
  const mender = new Mender({
    ...home,
    isDaemon: true,
    hasDaemon: true,
    poolFile,
    pool: new PoolKeeper(poolFile, home.log),
    launches: fakeLaunches(),
    processes: { ...createProcessTable(), findLaunched: async () => success([]) },
    sessions: { list: async () => success([]), endSession: async () => success(undefined) },
    lookAtTerminal: async () => ({ kind: 'listed', sessions: [] }),
    repositories: gitLike(),
    passingMs: 0,
    note: (taskId, event) => void notes.push([taskId, event]),
    respawn: async () => success(null),
    restoreFile: async (taskId) => success(taskId),
    judge: () => undefined,
    onKept: () => undefined,
    reloadSettings: () => undefined,
    refresh: () => undefined,
    isBusyWith: () => false,
    onMended: () => undefined,
    ...told,
  });
  return { mender, notes };
}

export function addWorktree(home: DaemonHome): string {
  const path = home.paths.workspace(WORKSPACE);
  mkdirSync(path, { recursive: true });
  home.world.worktrees.add(WORKSPACE);
  return path;
}
