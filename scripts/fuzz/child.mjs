import { pathToFileURL } from 'node:url';
import { runCase } from './run-case.mjs';

// A process of its own, because some inputs could end it beyond any catch. It tells before each
// stretch what it begins, and after it what it found.
const readers = await import(pathToFileURL(process.argv[2]).href);

process.on('message', ({ kind, from, to, seed, canary }) => {
  const problems = [];
  let worstMs = 0;
  for (let index = from; index < to; index += 1) {
    const { problem, isSlow, tookMs } = runCase(readers, kind, { seed, index, canary });
    worstMs = Math.max(worstMs, tookMs);
    if (problem !== null) problems.push({ index, problem, isSlow });
  }
  process.send({ problems, worstMs });
});
process.send({ isReady: true });
