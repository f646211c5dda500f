import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url));

export function inCheckout(...parts) {
  return join(checkout, ...parts);
}

export function readPackage() {
  return JSON.parse(readFileSync(inCheckout('package.json'), 'utf8'));
}
