import { readFileSync } from 'node:fs';
import { inCheckout } from '../../lib/checkout.mjs';
import { killAt } from './kill-at-failpoint.mjs';
import { killAtRandom } from './kill-at-random.mjs';

/** The names of all failpoints, as their list in the product gives them. */
export function failpointNames() {
  const text = readFileSync(inCheckout('src/domain/failpoint-names.ts'), 'utf8');
  return [...text.matchAll(/^ {2}'([a-z.-]+)': '/gm)].map(([, name]) => name);
}

export function allFaults() {
  return [...failpointNames().map(killAt), killAtRandom];
}
