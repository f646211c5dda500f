import { readFileSync } from 'node:fs';
import { inCheckout } from './checkout.mjs';

/** What Node is told when the product starts a daemon, as the product's list has it. */
export function daemonNodeFlags() {
  const text = readFileSync(inCheckout('src/domain/daemon-node-flags.ts'), 'utf8');
  const flags = [...text.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag);
  if (flags.length === 0) throw new Error('the list of flags for the daemon cannot be read');
  return flags;
}
