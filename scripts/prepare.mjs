import { existsSync } from 'node:fs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { installDependencies } from './lib/install-dependencies.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';

// npm runs this after `npm ci`, and before it packs the project or links it as a global command.
await runMain(async () => {
  const isForOthers =
    process.env.npm_config_global === 'true' || process.env.npm_command === 'pack';
  const hasBuilder = existsSync(inCheckout('node_modules/esbuild'));
  const wantsNoBuilder = (process.env.npm_config_omit ?? '').split(/[\s,]+/).includes('dev');
  if (!hasBuilder && (wantsNoBuilder || !isForOthers)) {
    say('orange: dist/ is not built, because the development packages are not installed.');
    return;
  }
  // A global installation from a folder links it and installs nothing in it.
  if (!hasBuilder) await installDependencies();
  await buildIfOlder();
});
