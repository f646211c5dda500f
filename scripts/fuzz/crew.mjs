import { fork } from 'node:child_process';
import { inCheckout } from '../lib/checkout.mjs';

const STRETCH = 200;
const HANG_MS = 60_000;
/** Slow cases of a kind after which no more of it are tried: each takes its time. */
const SLOW_ENOUGH = 5;

/** Runs the cases of one kind in processes side by side; a death or a hang is laid at one case. */
export async function runKind({ kind, count, seed, canary, bundle, workers }) {
  const stretches = [];
  for (let from = 0; from < count; from += STRETCH) {
    stretches.push({ kind, seed, canary, from, to: Math.min(from + STRETCH, count) });
  }
  const found = { problems: [], worstMs: 0, moves: 0 };
  const work = async () => {
    let child = null;
    for (let next = stretches.shift(); next !== undefined; next = stretches.shift()) {
      child ??= await startChild(bundle);
      const outcome = await ask(child, next);
      if (outcome.died !== undefined) {
        child = null;
        found.problems.push(...(await findCulprit(bundle, next)));
      } else {
        found.problems.push(...outcome.problems);
        found.worstMs = Math.max(found.worstMs, outcome.worstMs);
        found.moves += outcome.moves;
      }
      if (found.problems.filter(isSlow).length >= SLOW_ENOUGH) stretches.length = 0;
    }
    child?.disconnect();
  };
  await Promise.all(Array.from({ length: workers }, work));
  return {
    ...found,
    problems: await withoutMerelyLate(bundle, found.problems, { kind, seed, canary }),
  };
}

/** Slow cases once more when nothing else runs, in a process that has become warm. */
async function withoutMerelyLate(bundle, problems, common) {
  const certain = problems.filter((problem) => !isSlow(problem));
  const slow = problems.filter(isSlow);
  if (slow.length === 0) return certain;
  let child = await startChild(bundle);
  const warm = await ask(child, { ...common, from: 0, to: STRETCH });
  if (warm.died !== undefined) child = await startChild(bundle);
  for (const { index } of slow.slice(0, SLOW_ENOUGH)) {
    const outcome = await ask(child, { ...common, from: index, to: index + 1 });
    certain.push(...(outcome.problems ?? [{ index, problem: outcome.died }]));
    if (outcome.died !== undefined) return certain;
  }
  child.disconnect();
  return certain;
}

function isSlow(problem) {
  return problem.isSlow === true;
}

/** One after the other, each in a process that has done nothing before. */
async function findCulprit(bundle, { from, to, ...rest }) {
  const problems = [];
  for (let index = from; index < to; index += 1) {
    const child = await startChild(bundle);
    const outcome = await ask(child, { ...rest, from: index, to: index + 1 });
    if (outcome.died === undefined) child.disconnect();
    if (outcome.died !== undefined) problems.push({ index, problem: outcome.died });
    else problems.push(...outcome.problems);
  }
  return problems.length > 0 ? problems : [{ index: from, problem: 'the process died, once only' }];
}

async function startChild(bundle) {
  const child = fork(inCheckout('scripts/fuzz/child.mjs'), [bundle], { stdio: 'ignore' });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('the fuzzing process does not start')));
  });
  return child;
}

function ask(child, stretch) {
  return new Promise((resolve) => {
    const settle = (outcome) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(outcome);
    };
    const timer = setTimeout(() => {
      child.removeAllListeners();
      child.kill('SIGKILL');
      resolve({ died: 'hangs' });
    }, HANG_MS);
    child.once('message', settle);
    child.once('exit', (code, signal) => settle({ died: `ends the process (${signal ?? code})` }));
    child.send(stretch);
  });
}
