import { availableParallelism, loadavg } from 'node:os';

/** I10 and G10, on a machine that has a processor free for whoever wants one. */
const RECOVERY_MS = 5000;
/** However much else goes on, it must not take longer than this many times as long. */
const MOST = 2;

/**
 * How long orange may take to come to rest after a fault, now: where several processes want each
 * processor, all of them take that many times as long.
 */
export function recoveryLimitMs({ load = loadavg()[0], processors = availableParallelism() } = {}) {
  return Math.round(RECOVERY_MS * Math.min(MOST, Math.max(1, load / processors)));
}
