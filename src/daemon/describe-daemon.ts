import { isTerminal } from '../domain/status.js';
import type { LoopLag, RunningDaemon } from '../domain/task-view.js';
import { isRunning } from '../engine/world-queries.js';
import type { Assembly } from './assemble.js';
import { findUnwritten } from './find-unwritten.js';
import type { LiveWorld } from './live-world.js';

/** What `orange daemon status` tells of a daemon that runs. */
export function describeDaemon(
  { home, machine, world, settings, supervisor }: Assembly,
  options: {
    readonly home: string;
    readonly pid: number;
    readonly version: string;
    readonly startedAtMs: number;
    rssBytes(): number;
    loopLag(): LoopLag;
  },
): RunningDaemon {
  return {
    running: true,
    pid: options.pid,
    uptime_s: Math.round((machine.clock.monotonicMs() - options.startedAtMs) / 1000),
    version: options.version,
    socket: home.paths.daemonSocket,
    home: options.home,
    tasks: countTasks(world),
    sessions: countSessions(world),
    rss_bytes: options.rssBytes(),
    loop_lag_ms: options.loopLag(),
    sources: supervisor.sources(),
    settings: settings.inForce,
    unwritten: findUnwritten(world),
  };
}

function countTasks(world: LiveWorld): number {
  return [...world.tasks.values()].filter(({ fields }) => !isTerminal(fields.status)).length;
}

function countSessions(world: LiveWorld): number {
  const tasks = [...world.tasks.values()];
  return tasks.filter((task) => isRunning(task.worker) || isRunning(task.reviewer)).length;
}
