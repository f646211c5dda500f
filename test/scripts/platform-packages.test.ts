import { expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Lock = { readonly packages: Readonly<Record<string, object>> };
const { withPlatformPackages } = await loadScript<{
  withPlatformPackages: (lock: Lock) => { lock: Lock; added: readonly string[] };
}>('platform-packages');

const tool = {
  version: '1.2.3',
  optionalDependencies: { '@tool/linux-arm64-musl': '1.2.3', '@tool/wasm32-wasi': '1.2.3' },
};

it('binary packages of other systems are added to the lock file for their system only', () => {
  const { lock } = withPlatformPackages({ packages: { 'node_modules/tool': tool } });
  expect(lock.packages).toEqual({
    'node_modules/@tool/linux-arm64-musl': {
      version: '1.2.3',
      cpu: ['arm64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
    'node_modules/@tool/wasm32-wasi': {
      version: '1.2.3',
      cpu: ['wasm32'],
      dev: true,
      optional: true,
    },
    'node_modules/tool': tool,
  });
});

it('a complete lock file stays as it is', () => {
  const once = withPlatformPackages({ packages: { 'node_modules/tool': tool } });
  const twice = withPlatformPackages(once.lock);
  expect(twice.added).toEqual([]);
  expect(twice.lock).toEqual(once.lock);
});
