import { readFileSync } from 'node:fs';
import { inCheckout } from './checkout.mjs';

/** The argv that runs an installed package's program, on this Node or on another one. */
export function tool(packageName, { program = packageName, node = process.execPath } = {}) {
  const folder = inCheckout('node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return [node, `${folder}/${typeof bin === 'string' ? bin : bin[program]}`];
}
