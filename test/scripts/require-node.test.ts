import { expect, it } from 'vitest';
import { loadScript } from './load-script.js';

const { isAtLeast, requireNode } = await loadScript<{
  isAtLeast: (version: string, floor: string) => boolean;
  requireNode: (version: string) => void;
}>('require-node');

it.each([
  ['20.19.0', true],
  ['20.20.2', true],
  ['22.0.0', true],
  ['20.18.9', false],
  ['18.20.0', false],
])('Node %s being new enough is %s', (version, isEnough) => {
  expect(isAtLeast(version, '20.19')).toBe(isEnough);
});

it('an old Node is refused with the version that is needed', () => {
  expect(() => requireNode('18.20.0')).toThrow(/needs Node 20\.19 or newer; this is 18\.20\.0/);
});
