import { readdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { say } from './lib/say.mjs';
import { table } from './lib/table.mjs';

// Every file in scripts/bench/ is one measurement; names as arguments choose among them.
await runMain(async (argv) => {
  const { values, positionals } = parseArgs({
    args: argv,
    options: { write: { type: 'string' } },
    allowPositionals: true,
  });
  await prepareCheckout();
  await buildIfOlder();
  const rows = [];
  for (const name of measurements(positionals)) {
    const { measure } = await import(`./bench/${name}.mjs`);
    rows.push(...(await withProgress(`Measuring ${name}`, measure)));
  }
  const report = describe(rows);
  say(`\n${report}`);
  if (values.write !== undefined)
    writeFileSync(inCheckout(values.write), `# Benchmarks\n\n${report}`);
});

function measurements(chosen) {
  const all = readdirSync(inCheckout('scripts/bench')).map((file) => file.replace(/\.mjs$/, ''));
  return chosen.length === 0 ? all : all.filter((name) => chosen.includes(name));
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
