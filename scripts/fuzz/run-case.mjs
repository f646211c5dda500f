import { inputOf, KINDS } from './kinds.mjs';
import { timedReaders } from './timed-readers.mjs';

const LIMIT_MS = 20;
const TRIES = 7;
/** A call that is slow by itself need not be tried any longer; one that had to wait is soon quick. */
const TRIED_FOR_MS = 1000;
const WHOLE = 'reading it';

/**
 * Runs one case: what is wrong (null when nothing is), whether that is its time, how long the slowest
 * call took, and how many tasks it rightly moved.
 */
export function runCase(readers, kind, how) {
  const input = inputOf(kind, how);
  const { judge, read } = KINDS[kind];
  const { during } = timedReaders(readers);
  let problem = null;
  let moves = 0;
  const start = performance.now();
  const first = during('wall', (parts) => {
    problem = attempt(() => judge(parts, input, () => (moves += 1)));
  });
  const judgedMs = performance.now() - start;
  // All that was called together took less than any of it may.
  if (problem !== null || judgedMs <= LIMIT_MS) {
    return { problem, isSlow: false, tookMs: slowestOf(first).ms, moves };
  }
  const again = () =>
    during('processor', (parts, timed) => {
      attempt(() => judge(parts, input, () => undefined));
      timed(WHOLE, () => read(readers, input));
    });
  const { name, ms: tookMs } = slowestOf(leastOf(first, again));
  const isSlow = tookMs > LIMIT_MS;
  return {
    problem: isSlow ? `${name} takes ${tookMs.toFixed(1)} ms` : null,
    isSlow,
    tookMs,
    moves,
  };
}

function attempt(work) {
  try {
    return work();
  } catch (error) {
    return `throws: ${error.stack ?? error}`;
  }
}

/** A busy machine makes anything slow once: of a few tries the least counts, for each call by itself. */
function leastOf(first, again) {
  const least = new Map(first);
  const start = performance.now();
  for (let tries = 0; tries < TRIES; tries += 1) {
    for (const [name, ms] of again()) least.set(name, Math.min(ms, least.get(name) ?? ms));
    const isOver = slowestOf(least).ms > LIMIT_MS;
    if (!isOver || performance.now() - start > TRIED_FOR_MS) break;
  }
  return least;
}

/** One call rather than all of them together, where one alone takes too long. */
function slowestOf(calls) {
  const ordered = [...calls].toSorted((a, b) => b[1] - a[1]);
  const [name, ms] = ordered.find(([each, took]) => each !== WHOLE && took > LIMIT_MS) ??
    ordered[0] ?? [WHOLE, 0];
  return { name, ms };
}
