import { expect, it } from 'vitest';
import { isOlderVersion } from '../../src/domain/is-older-version.js';

it.each([
  ['0.1.0', '0.2.0', true],
  ['0.9.9', '0.10.0', true],
  ['1.0.0', '0.9.9', false],
  ['1.2.3', '1.2.3', false],
  ['1.2.3-beta.1', '1.2.3', true],
  ['1.2.3', '1.2.3-beta.1', false],
  ['1.2.3+build', '1.2.4', true],
  ['nonsense', '1.0.0', false],
  ['1.0.0', 'nonsense', false],
])('%s comes before %s: %s', (one, other, isOlder) => {
  expect(isOlderVersion(one, other)).toBe(isOlder);
});
