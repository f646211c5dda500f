import { readFileSync } from 'node:fs';
import { inCheckout } from './checkout.mjs';

/** What Node is told when the product starts a daemon, as the product's list has it. */
export function daemonNodeFlags() {
  const text = readFileSync(inCheckout('src/domain/daemon-node-flags.ts'), 'utf8');
  return [...text.matchAll(/^ {2}'(--.+)',$/gm)].map(([, flag]) => flag);
}
