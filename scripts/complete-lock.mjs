import { readFileSync, writeFileSync } from 'node:fs';
import { inCheckout } from './lib/checkout.mjs';
import { withPlatformPackages } from './lib/platform-packages.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';

// Run after `npm install` against a registry that lacks the binary packages of other systems: npm leaves
// them out of the lock file then, and `npm ci` refuses such a lock file everywhere.
await runMain(async () => {
  const path = inCheckout('package-lock.json');
  const { lock, added } = withPlatformPackages(JSON.parse(readFileSync(path, 'utf8')));
  if (added.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  say(`package-lock.json: ${added.length} entries added`);
});
