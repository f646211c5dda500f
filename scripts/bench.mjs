import { readdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { say } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';
import { table } from './lib/table.mjs';

// Every file in scripts/bench/ is one measurement; names as arguments choose among them.
await runMain(async (argv) => {
  const { values, positionals } = readArguments(argv);
  if (values.help) {
    say(usage());
    return;
  }
  const names = measurements(positionals);
  await prepareCheckout();
  await buildIfOlder();
  const rows = [];
  for (const name of names) {
    const { measure } = await import(`./bench/${name}.mjs`);
    rows.push(...(await withProgress(`Measuring ${name}`, measure)));
  }
  const report = describe(rows);
  say(`\n${report}`);
  if (values.write !== undefined)
    writeFileSync(inCheckout(values.write), `# Benchmarks\n\n${report}`);
});

function readArguments(argv) {
  const options = { write: { type: 'string' }, help: { type: 'boolean', short: 'h' } };
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    throw new StepFailed(`${error.message}\n\n${usage()}`);
  }
}

function usage() {
  return `Usage: npm run bench -- [--write FILE] [NAME ...]

Measures orange and prints the medians as a table.

  --write FILE  keep the report in this file too
  NAME          only these measurements: ${allMeasurements().join(', ')}`;
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

function describe(rows) {
  const cells = rows.map(({ what, ms, ratio, against }) => [
    what,
    `${ms.toFixed(1)} ms`,
    what === against ? '' : `${ratio.toFixed(2)} × ${against}`,
  ]);
  return `Medians of one run of \`npm run bench\`, measured in turns: compare the ratios, not the milliseconds.

${machine()}

${table(cells, ['what', 'median', 'compared'])}
`;
}

function machine() {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `Machine: ${cpus().length} × ${first?.model ?? 'unknown processor'}, ${memory}, ${platform()} ${release()} ${arch()}, Node ${process.version}.`;
}
