import { checkout, inCheckout, readPackage } from './checkout.mjs';

// Packages that are CommonJS call `require`, which an ES module has to make for itself.
const MAKE_REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles one file with all it imports, for a run of a script; gives the path of the result. */
export async function bundlePart(entry, name) {
  const { build } = await import('esbuild');
  const outfile = inCheckout('.cache/parts', `${name}.mjs`);
  await build({
    absWorkingDir: checkout,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { __ORANGE_VERSION__: JSON.stringify(readPackage().version) },
    banner: { js: MAKE_REQUIRE },
    logLevel: 'warning',
  });
  return outfile;
}
