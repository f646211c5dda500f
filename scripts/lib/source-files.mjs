import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './checkout.mjs';

/** The TypeScript modules under src/, as paths from the checkout; declarations are no modules. */
export function sourceFiles() {
  return readdirSync(join(checkout, 'src'), { recursive: true })
    .map((name) => join('src', name))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
}
