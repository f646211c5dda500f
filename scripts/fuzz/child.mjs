import { pathToFileURL } from 'node:url';
import { runCase } from './run-case.mjs';

/** Each slow case takes a while, so that the rest of its stretch is left out. */
const SLOW_ENOUGH = 2;

// A process of its own, because some inputs could end it beyond any catch. It tells before each
// stretch what it begins, and after it what it found.
const readers = await import(pathToFileURL(process.argv[2]).href);

process.on('message', ({ kind, from, to, seed, canary }) => {
  const problems = [];
  let worstMs = 0;
  let moves = 0;
  let slow = 0;
  for (let index = from; index < to; index += 1) {
    const found = runCase(readers, kind, { seed, index, canary });
    // A slow one is told as a problem, unless it was merely late.
    if (!found.isSlow) worstMs = Math.max(worstMs, found.tookMs);
    moves += found.moves;
    if (found.isSlow) slow += 1;
    if (found.problem !== null) {
      problems.push({ index, problem: found.problem, isSlow: found.isSlow });
    }
    if (slow === SLOW_ENOUGH) break;
  }
  process.send({ problems, worstMs, moves });
});
process.send({ isReady: true });
