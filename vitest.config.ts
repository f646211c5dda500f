import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
);

export default defineConfig({
  define: { __ORANGE_VERSION__: JSON.stringify(manifest.version) },
  test: {
    // Most of the time is spent waiting for tmux, git and agents.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/adapters/**', 'test/integration/**'],
          retry: 1,
          // For a machine that does much else meanwhile: property tests take a second of its time.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'adapters',
          // Agents are found by the marker in their environment, which the rigs share.
          fileParallelism: false,
          include: ['test/adapters/*.test.ts'],
          // A loaded machine may starve a process past any deadline; npm test names such tests.
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'git',
          include: ['test/adapters/{git,github}/**/*.test.ts'],
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['scripts/lib/build-before-tests.mjs'],
          retry: 1,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
