import { cpuUsage } from 'node:process';
import { inputOf, KINDS } from './kinds.mjs';

const LIMIT_MS = 20;
const TRIES = 7;

/** Runs one case: what is wrong (null when nothing is), whether that is its time, and how long it took. */
export function runCase(readers, kind, how) {
  const input = inputOf(kind, how);
  const start = performance.now();
  const problem = judge(readers, kind, input);
  const tookMs = performance.now() - start;
  if (problem !== null || tookMs <= LIMIT_MS) return { problem, tookMs };
  const least = leastMs(readers, kind, input, tookMs);
  const isSlow = least > LIMIT_MS;
  return { problem: isSlow ? `takes ${least.toFixed(1)} ms` : null, isSlow, tookMs: least };
}

function judge(readers, kind, input) {
  try {
    return KINDS[kind].judge(readers, input);
  } catch (error) {
    return `throws: ${error.stack ?? error}`;
  }
}

// A busy machine makes anything slow once: the least of a few tries counts, of the processor's time.
function leastMs(readers, kind, input, first) {
  let least = first;
  for (let tries = 0; tries < TRIES && least > LIMIT_MS; tries += 1) {
    const before = cpuUsage();
    judge(readers, kind, input);
    const { user, system } = cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
