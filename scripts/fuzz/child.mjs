import { pathToFileURL } from 'node:url';
import { runCase } from './run-case.mjs';

// A process of its own, because some inputs could end it beyond any catch. It tells before each
// stretch what it begins, and after it what it found.
const readers = await import(pathToFileURL(process.argv[2]).href);

process.on('message', ({ kind, from, to, seed, canary }) => {
  const problems = [];
  let worstMs = 0;
  let moves = 0;
  for (let index = from; index < to; index += 1) {
    const found = runCase(readers, kind, { seed, index, canary });
    worstMs = Math.max(worstMs, found.tookMs);
    moves += found.moves;
    if (found.problem !== null) {
      problems.push({ index, problem: found.problem, isSlow: found.isSlow });
    }
  }
  process.send({ problems, worstMs, moves });
});
process.send({ isReady: true });
