import { buildBundle } from './lib/build-bundle.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';

await runMain(async () => {
  const { outputs } = await buildBundle();
  for (const [path, { bytes, entryPoint }] of Object.entries(outputs)) {
    if (entryPoint?.endsWith('/main.ts')) say(`${path}  ${(bytes / 1024).toFixed(0)} KiB`);
  }
});
