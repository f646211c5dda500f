import { cpuUsage } from 'node:process';
import { inputOf, KINDS } from './kinds.mjs';

const LIMIT_MS = 20;
const TRIES = 7;

/**
 * Runs one case: what is wrong (null when nothing is), whether that is its time, how long it took, and
 * how many tasks it rightly moved.
 */
export function runCase(readers, kind, how) {
  const input = inputOf(kind, how);
  let moves = 0;
  const start = performance.now();
  const problem = attempt(() => KINDS[kind].judge(readers, input, () => (moves += 1)));
  // Judging reads the input several times over, so most cases need not be timed at all.
  const judgedMs = performance.now() - start;
  if (problem !== null || judgedMs <= LIMIT_MS) {
    return { problem, isSlow: false, tookMs: judgedMs, moves };
  }
  const tookMs = leastMs(() => KINDS[kind].read(readers, input));
  const isSlow = tookMs > LIMIT_MS;
  return { problem: isSlow ? `takes ${tookMs.toFixed(1)} ms` : null, isSlow, tookMs, moves };
}

function attempt(work) {
  try {
    return work();
  } catch (error) {
    return `throws: ${error.stack ?? error}`;
  }
}

// A busy machine makes anything slow once: the least of a few tries counts, of the processor's time.
function leastMs(work) {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > LIMIT_MS / 2; tries += 1) {
    const before = cpuUsage();
    work();
    const { user, system } = cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
