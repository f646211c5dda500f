import { buildIfOlder } from './build-bundle.mjs';

/** For vitest: the integration tests run the built program. */
export async function setup() {
  await buildIfOlder();
}
