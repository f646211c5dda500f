import { installDependencies } from './lib/install-dependencies.mjs';
import { requireNode } from './lib/require-node.mjs';
import { runChecks } from './lib/run-checks.mjs';
import { runMain } from './lib/run-main.mjs';

await runMain(async () => {
  requireNode();
  await installDependencies();
  const rows = await runChecks();
  return rows.every(({ isGood }) => isGood) ? 0 : 1;
});
