import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { checkout, inCheckout } from '../lib/checkout.mjs';
import { makeBenchHome } from '../lib/bench-home.mjs';
import { median } from '../lib/median.mjs';

const ROUNDS = 15;
const TASKS = 1_000;

/** How long it takes to read and understand many TASK.md, next to reading their bytes only. */
export async function measure() {
  const { parseTaskFile } = await loadTaskFile();
  const { files, remove } = makeBenchHome(TASKS);
  const readAll = () => files.map((path) => readFileSync(path, 'utf8'));
  const parseAll = () => files.map((path) => parseTaskFile(readFileSync(path, 'utf8'), path));
  try {
    if (!parseAll().every(({ ok }) => ok)) throw new Error('a TASK.md of the benchmark is refused');
    const raw = [];
    const parsed = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      raw.push(timeOf(readAll));
      parsed.push(timeOf(parseAll));
    }
    const against = `read ${TASKS} TASK.md as text`;
    const floor = median(raw);
    const ms = median(parsed);
    return [
      { what: against, ms: floor, ratio: 1, against },
      { what: `read and parse ${TASKS} TASK.md`, ms, ratio: ms / floor, against },
    ];
  } finally {
    remove();
  }
}

// The program does not export its parts, so this one is built for the measurement alone.
async function loadTaskFile() {
  const { build } = await import('esbuild');
  const outfile = inCheckout('.cache/bench/task-file.mjs');
  const banner =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    absWorkingDir: checkout,
    entryPoints: ['src/record/task-file.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
  });
  return await import(pathToFileURL(outfile).href);
}

function timeOf(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}
