import { cpuUsage } from 'node:process';

const TRIES = 5;

/**
 * Milliseconds of processor time that `work` takes, the least of a few tries: what waits for a busy
 * machine is not counted, and what freezes takes long every time.
 */
export function leastCpuMs(work: () => unknown, enoughMs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= enoughMs; tries += 1) {
    const before = cpuUsage();
    work();
    const { user, system } = cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
