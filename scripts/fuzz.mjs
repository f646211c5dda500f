import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runKind } from './fuzz/crew.mjs';
import { caseNumbers, describeHostile, fuzzHostile } from './fuzz/hostile/run.mjs';
import { TEXT_COUNT } from './fuzz/hostile/texts.mjs';
import { inputOf, KINDS } from './fuzz/kinds.mjs';
import { fuzzLive } from './fuzz/live.mjs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { bundlePart } from './lib/bundle-part.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { say } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';
import { table } from './lib/table.mjs';

const SHOWN = 10;
const HOSTILE = 'hostile texts';
const ALL_CASES = 100_000;

await runMain(async (argv) => {
  const { cases, seed, only } = readArguments(argv);
  await prepareCheckout();
  await buildIfOlder();
  const bundle = await bundlePart('scripts/fuzz/readers.mjs', 'fuzz-readers');
  const folder = mkdtempSync(join(tmpdir(), 'of-'));
  const canary = join(folder, 'canary');
  try {
    const common = { seed, canary, bundle, workers: availableParallelism() };
    const rows = [];
    for (const [kind, { share }] of Object.entries(KINDS)) {
      if (only !== null && only !== kind) continue;
      const count = Math.round(cases * share);
      const run = () => runKind({ ...common, kind, count });
      const found = await withProgress(`Fuzzing ${kind}`, run);
      rows.push({ kind, count, executions: takeCanary(canary), ...found });
    }
    if (only === null || only === 'daemon') {
      const live = () => fuzzLive({ seed, canary, count: Math.max(20, Math.round(cases / 1000)) });
      rows.push({
        ...(await withProgress('Fuzzing a running daemon', live)),
        executions: takeCanary(canary),
      });
    }
    if (only === null || only === HOSTILE) rows.push(await runHostile(cases));
    return report(rows, { seed, canary });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function readArguments(argv) {
  const options = { cases: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } };
  let values;
  try {
    ({ values } = parseArgs({ args: argv, options }));
  } catch (error) {
    throw new StepFailed(
      `${error.message}\n\nUsage: npm run fuzz -- [--cases N] [--seed S] [--only KIND]`,
    );
  }
  const cases = Number(values.cases ?? ALL_CASES);
  if (!Number.isSafeInteger(cases) || cases < 1)
    throw new StepFailed('--cases takes a whole number.');
  return { cases, seed: values.seed ?? '1', only: values.only ?? null };
}

/** Every hostile text in every field of real tasks; fewer tasks where fewer cases are asked for. */
async function runHostile(cases) {
  const bundle = await bundlePart('scripts/fuzz/hostile/parts.mjs', 'fuzz-hostile');
  const parts = await import(pathToFileURL(bundle).href);
  const numbers = caseNumbers(Math.ceil((cases / ALL_CASES) * TEXT_COUNT));
  const run = () => fuzzHostile({ numbers, parts });
  const found = await withProgress(`Putting ${HOSTILE} into every field of tasks`, run);
  const problems = found.problems.map(({ index = 'all', sink, problem }) => ({
    index,
    problem: `${sink}: ${problem}`,
  }));
  return { ...found, kind: HOSTILE, problems, worstMs: null, words: describeHostile(found) };
}

// Left by an input that was run; the next kind is told by its own.
function takeCanary(canary) {
  if (!existsSync(canary)) return 0;
  rmSync(canary);
  return 1;
}

function report(rows, how) {
  const cells = rows.map(({ kind, count, problems, worstMs, moves = null, executions }) => [
    kind,
    String(count),
    worstMs === null ? '' : `${worstMs.toFixed(1)} ms`,
    String(executions),
    KINDS[kind]?.mayMove === true ? String(moves) : '',
    String(problems.length),
  ]);
  say(
    `\n${table(cells, ['input', 'cases', 'slowest', 'executed', 'rightly moved', 'problems'])}\n`,
  );
  for (const { words } of rows) if (words !== undefined) say(words);
  const bad = rows.flatMap(({ kind, problems }) =>
    problems.map((problem) => ({ kind, ...problem })),
  );
  for (const each of bad.slice(0, SHOWN)) say(describe(each, how));
  if (bad.length > SHOWN) say(`… and ${bad.length - SHOWN} more.`);
  // Where nothing moves at all, that nothing moves wrongly says nothing.
  const moving = rows.filter(({ kind }) => KINDS[kind]?.mayMove === true);
  const isIdle = moving.length > 0 && moving.every(({ moves }) => moves === 0);
  if (isIdle) say('No input has moved a task, not even a valid one: moves were not tried.');
  const isGood = bad.length === 0 && !isIdle && rows.every(({ executions }) => executions === 0);
  say(isGood ? 'Nothing was found.' : `Repeat with: npm run fuzz -- --seed ${how.seed}`);
  return isGood ? 0 : 1;
}

/** One line, and the input itself in a file where there is one. */
function describe({ kind, index, problem }, how) {
  if (!Object.hasOwn(KINDS, kind)) return `${kind}, case ${index}: ${problem}`;
  const input = inputOf(kind, { ...how, index });
  const text = typeof input === 'string' ? input : input.text.slice(0, input.length);
  const name = `${kind.replace(/[^A-Za-z.]+/g, '-')}-${how.seed}-${index}.txt`;
  mkdirSync(inCheckout('.cache/fuzz'), { recursive: true });
  writeFileSync(inCheckout('.cache/fuzz', name), text);
  return `${kind}, case ${index}: ${problem}\n  stored as .cache/fuzz/${name}`;
}
