import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { bundledLicences } from './bundled-licences.mjs';
import { checkout, inCheckout, readPackage } from './checkout.mjs';
import { changedAt, newestChange } from './newest-change.mjs';
import { withProgress } from './run-step.mjs';
import { StepFailed } from './step-failed.mjs';

const ENTRIES = {
  orange: 'src/cli/main.ts',
  'orange-daemon': 'src/daemon/main.ts',
  'orange-watchdog': 'src/adapters/watchdog-thread.ts',
  'orange-stillness': 'src/adapters/stillness-thread.ts',
  'orange-demo-agent': 'src/harness/demo/main.ts',
};
/** Loaded on their own when a moment counts: one file each, which shares nothing. */
const ALONE = { './list-quickly.js': ['orange-list', 'src/cli/list-quickly.ts'] };
const SOURCES = ['src', 'package.json', 'package-lock.json', 'scripts/lib/build-bundle.mjs'];
const LICENCES = 'dist/THIRD-PARTY-LICENCES.txt';

// Packages that are CommonJS call `require`, which an ES module has to make for itself. esbuild puts
// its stand-in into one file, which asks for it by this phrase.
const WANTS_REQUIRE = 'typeof require !== "undefined"';
const MAKE_REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n";

/** Builds dist/ when it is missing or older than what it is made from. */
export async function buildIfOlder() {
  // The licences are written last, so an interrupted build is not taken for a whole one.
  const built = changedAt(inCheckout(LICENCES));
  if (built !== null && built >= newestChange(SOURCES.map((path) => inCheckout(path)))) return;
  await withProgress('Building', buildBundle);
}

/** Builds dist/ anew: everything that src imports is in it, so it runs without node_modules. */
export async function buildBundle() {
  const missing = Object.values(ENTRIES).filter((path) => !existsSync(inCheckout(path)));
  if (missing.length > 0) {
    throw new StepFailed(`Nothing to build from: ${missing.join(', ')} missing.`);
  }
  const { build } = await import('esbuild');
  rmSync(inCheckout('dist'), { recursive: true, force: true });
  const alone = { splitting: false, chunkNames: undefined, plugins: [], entryPoints: {} };
  for (const [name, path] of Object.values(ALONE)) alone.entryPoints[name] = path;
  const builds = [build(options()), build({ ...options(), ...alone })];
  const [{ metafile, outputFiles }, { outputFiles: aloneFiles }] = await Promise.all(builds).catch(
    (error) => {
      throw new StepFailed(`The build failed: ${error.message}`);
    },
  );
  mkdirSync(inCheckout('dist/chunks'), { recursive: true });
  for (const { path, text } of [...outputFiles, ...aloneFiles]) {
    writeFileSync(path, text.includes(WANTS_REQUIRE) ? `${MAKE_REQUIRE}${text}` : text);
  }
  makeProgram(inCheckout('dist/orange.js'));
  writeFileSync(inCheckout(LICENCES), bundledLicences(Object.keys(metafile.inputs)));
  return metafile;
}

// esbuild's banner goes on every file, chunks too; the line for the shell belongs on the program only.
function makeProgram(path) {
  const text = readFileSync(path, 'utf8');
  if (!text.startsWith('#!')) writeFileSync(path, `#!/usr/bin/env node\n${text}`);
  chmodSync(path, 0o755);
}

const loadAlone = {
  name: 'load-alone',
  setup(build) {
    build.onResolve({ filter: /^\.\// }, ({ path, kind }) => {
      const [name] = (kind === 'dynamic-import' && ALONE[path]) || [];
      return name === undefined ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

function options() {
  return {
    absWorkingDir: checkout,
    entryPoints: ENTRIES,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Loaded only when ink's own developers debug it.
    external: ['react-devtools-core'],
    define: {
      'process.env.NODE_ENV': '"production"',
      __ORANGE_VERSION__: JSON.stringify(readPackage().version),
    },
    plugins: [loadAlone],
    write: false,
    metafile: true,
    logLevel: 'warning',
    legalComments: 'none',
  };
}
