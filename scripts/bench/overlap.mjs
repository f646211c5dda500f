import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inMs } from '../lib/bench-rows.mjs';
import { inCheckout } from '../lib/checkout.mjs';
import { median } from '../lib/statistics.mjs';

const PATHS = 20;
const ROUNDS = 9;
// Twice as many plans may take twice as long, with some room for a machine that does other things.
const SLACK = 1.5;

/** How the check of every plan against all others grows with their number. */
export async function measure({ isQuick }) {
  const { ScopeIndex, readScopes } = await loadEngine();
  const counts = isQuick ? [100, 400] : [250, 1_000, 4_000];
  const times = counts.map((count) => {
    const plans = Array.from({ length: count }, (_, number) => planOf(number));
    const rounds = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      const found = checkAll(plans, { ScopeIndex, readScopes });
      const ms = performance.now() - start;
      if (found === 0) throw new Error('no plan overlaps with another');
      return ms;
    });
    return { count, ms: median(rounds) };
  });
  const [least] = times;
  return times.map(({ count, ms }) => {
    const growth = ms / least.ms / (count / least.count);
    return {
      what: `overlap check, ${count} plans of ${PATHS} paths, each against all`,
      figure: inMs(ms),
      compared: `${growth.toFixed(2)} × linear from ${least.count}`,
      limit: `${SLACK} × linear`,
      isMet: growth <= SLACK,
    };
  });
}

function checkAll(plans, { ScopeIndex, readScopes }) {
  const index = new ScopeIndex();
  const read = plans.map((paths, number) => ({ id: `task${number}`, scopes: readScopes(paths) }));
  for (const { id, scopes } of read) index.add(id, scopes);
  const meetings = read.map(({ id, scopes }) => index.find(scopes, { except: id, most: 10 }));
  return meetings.filter((found) => found.length > 0).length;
}

/** Files and folders of a part of the tree, a glob, and now and then something of a neighbour's. */
function planOf(number) {
  const own = Array.from({ length: PATHS - 3 }, (_, at) => `src/part${number}/file${at}.ts`);
  const neighbour = number % 5 === 0 ? `src/part${number + 1}/file1.ts` : `docs/part${number}.md`;
  return [...own, `test/part${number}/`, `src/part${number}/**/*.css`, neighbour];
}

async function loadEngine() {
  const folder = mkdtempSync(join(tmpdir(), 'ob-'));
  try {
    const outfile = join(folder, 'engine.mjs');
    const names = ['scope-index', 'scope'].map((name) =>
      inCheckout(`src/engine/reservations/${name}.ts`),
    );
    const contents = names.map((name) => `export * from ${JSON.stringify(name)};`).join('\n');
    const stdin = { contents, resolveDir: folder, loader: 'ts' };
    await build({ stdin, bundle: true, format: 'esm', platform: 'node', outfile });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
