import { expect, it } from 'vitest';
import { loadScript } from './load-script.js';

const { requireNode } = await loadScript<{ requireNode: (version: string) => void }>(
  'require-node',
);

it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.3'])('Node %s is new enough', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});

it.each(['20.18.9', '18.20.0', '9.11.2'])('Node %s is refused with what is needed', (version) => {
  expect(() => requireNode(version)).toThrow(
    `orange needs Node 20.19 or newer; this is ${version}`,
  );
});
