import { inCheckout } from './checkout.mjs';
import { changedAt } from './newest-change.mjs';
import { npmEnvironment } from './npm-environment.mjs';
import { runStep } from './run-step.mjs';

/**
 * Installs what package-lock.json names, unless that is there already.
 * Install scripts stay off: nothing here needs one (esbuild's only speeds up its start).
 */
export async function installDependencies() {
  // npm writes this file last, so an interrupted installation is not taken for a whole one.
  const installed = changedAt(inCheckout('node_modules/.package-lock.json'));
  const locked = changedAt(inCheckout('package-lock.json'));
  if (installed !== null && installed >= locked) return;
  await runStep(
    'Installing dependencies (npm ci)',
    ['npm', 'ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'],
    { env: npmEnvironment(process.env) },
  );
}
