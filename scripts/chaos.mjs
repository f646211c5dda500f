import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { choosePlan, replayOptions } from './chaos/choose-plan.mjs';
import { allFaults } from './chaos/faults/list.mjs';
import { runCourses } from './chaos/run-courses.mjs';
import { Tally } from './chaos/tally.mjs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { takeSignals } from './lib/interruption.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';

const OPTIONS = {
  rounds: { type: 'string' },
  seed: { type: 'string', default: '1' },
  homes: { type: 'string', default: '3' },
  fault: { type: 'string' },
  'each-once': { type: 'boolean', default: false },
  replay: { type: 'string' },
  keep: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

/** In a run of some rounds chance decides what comes; a fault that was tried this often must have struck. */
const TRIES = 3;

const USAGE = `Usage: npm run chaos -- [options]

Lets faults happen to homes with real agents, tmux and git, and asks an oracle after each of them:
each fault once, in random order. One that never struck fails the run, unless it cannot happen here.

  --rounds N    how many faults, however often each comes; then one that was tried three times has to
                have struck
  --seed S      another course of events (1)
  --homes K     how many homes side by side (3)
  --fault TEXT  only faults with this in their name; several separated by commas
  --each-once   each fault once, in the order of the list
  --replay SEED one course again, up to the round with this seed; with the --fault and --each-once
                that it was in
  --keep        keep the home of a failed round to look at
  --list        name all faults`;

await runMain(async (argv) => {
  const values = readArguments(argv);
  if (values.help) return say(USAGE);
  if (values.list)
    return say(
      allFaults()
        .map(({ name }) => name)
        .join('\n'),
    );
  const rounds = values.rounds === undefined ? undefined : number(values.rounds);
  const { plan, seed } = choosePlan({ ...values, rounds });
  await prepareCheckout();
  await buildIfOlder();
  // A copy, so that a build meanwhile does not disturb a long run.
  const folder = mkdtempSync(join(tmpdir(), 'oc-program-'));
  cpSync(inCheckout('dist'), folder, { recursive: true });
  try {
    return await run({ plan, seed, values, program: join(folder, 'orange.js') });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function run({ plan, seed, values, program }) {
  const rounds = plan.reduce((sum, course) => sum + course.rounds.length, 0);
  const tally = new Tally({
    rounds,
    say,
    tries: values.rounds === undefined ? 1 : TRIES,
    replayOptions: (round) => replayOptions(round, values),
  });
  let isStopped = false;
  const running = await runCourses({
    plan,
    seed,
    homes: Math.min(number(values.homes), plan.length),
    program,
    isKept: values.keep,
    onRound: (round) => tally.add(round),
    shouldStop: () => isStopped,
  });
  takeSignals((code) => {
    isStopped = true;
    void running.closeAll().then(() => process.exit(code));
  });
  const beat = setInterval(() => tally.showProgress(), 10_000);
  try {
    await running.done;
  } finally {
    clearInterval(beat);
  }
  say(tally.report());
  return tally.isClean ? 0 : 1;
}

function readArguments(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS }).values;
  } catch (error) {
    throw new StepFailed(`${error.message}\n\n${USAGE}`);
  }
}

function number(text) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new StepFailed(`Not a number: ${text}`);
  return value;
}
