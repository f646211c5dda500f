import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchReport, benchTable, describeCommit, describeMachine } from './lib/bench-report.mjs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { say } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';

const REPORT = 'docs/benchmarks.md';

// Every file in scripts/bench/ measures something and gives rows; names as arguments choose among them.
await runMain(async (argv) => {
  const { values, positionals } = readArguments(argv);
  if (values.help) {
    say(usage());
    return 0;
  }
  const names = measurements(positionals);
  await prepareCheckout();
  await buildIfOlder();
  // What is measured is what was built, whatever happens to the checkout meanwhile.
  const commit = await describeCommit(REPORT);
  const rows = [];
  for (const name of names) {
    const { measure } = await import(`./bench/${name}.mjs`);
    const found = await withProgress(`Measuring ${name}`, () => measure({ isQuick: values.quick }));
    say(`\n${benchTable(found)}\n`);
    rows.push(...found);
  }
  const isWhole = positionals.length === 0 && !values.quick;
  if (isWhole) {
    const [date] = new Date().toISOString().split('T');
    const about = { machine: describeMachine(), commit, date };
    writeFileSync(inCheckout(REPORT), benchReport(rows, about));
  }
  const missed = rows.filter(({ isMet }) => isMet === false);
  say(missed.length === 0 ? 'Every limit is met.' : `Limits missed: ${missed.length}.`);
  for (const { what } of missed) say(`  ${what}`);
  return missed.length === 0 ? 0 : 1;
});

function readArguments(argv) {
  const options = {
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  };
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    throw new StepFailed(`${error.message}\n\n${usage()}`);
  }
}

function usage() {
  return `Usage: npm run bench -- [--quick] [NAME ...]

Measures orange beside the simplest thing that does the same, in turns. Ends with 1 when a limit is
missed. A run of everything writes ${REPORT}.

  --quick  smaller and shorter, to see whether a measurement works
  NAME     only these: ${allMeasurements().join(', ')}`;
}

function measurements(chosen) {
  const all = allMeasurements();
  const unknown = chosen.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new StepFailed(`No such measurement: ${unknown.join(', ')}.\n\n${usage()}`);
  }
  return chosen.length === 0 ? all : chosen;
}

function allMeasurements() {
  return readdirSync(inCheckout('scripts/bench')).map((file) => file.replace(/\.mjs$/, ''));
}
