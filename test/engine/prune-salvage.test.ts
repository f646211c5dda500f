import { expect, it } from 'vitest';
import { readSalvageRef, salvageRef } from '../../src/domain/salvage.js';
import { isPrunable } from '../../src/engine/prune-salvage.js';

const OLD = '2026-01-01T00:00:00.000Z';
const BEFORE = '2026-02-01T00:00:00.000Z';
const NEW = '2026-02-02T00:00:00.000Z';

it.each([
  ['old work of a merged task', { saved_at: OLD, dropped_at: null }, true, true],
  ['old work of a cancelled task', { saved_at: OLD, dropped_at: null }, false, false],
  ['new work of a merged task', { saved_at: NEW, dropped_at: null }, true, false],
  [
    'work of a merged task that nobody knows the age of',
    { saved_at: null, dropped_at: null },
    true,
    false,
  ],
  ['what was dropped long ago', { saved_at: OLD, dropped_at: OLD }, false, true],
  ['old work that was dropped lately', { saved_at: OLD, dropped_at: NEW }, true, false],
] as const)('%s', (_, entry, isMerged, expected) => {
  expect(isPrunable(entry, { before: BEFORE, isMerged: () => isMerged })).toBe(expected);
});

it.each([
  ['abc/1', 'refs/orange/salvage/abc/1'],
  ['refs/orange/salvage/abc/12', 'refs/orange/salvage/abc/12'],
  ['refs/orange/dropped/abc/1', 'refs/orange/dropped/abc/1'],
])('%s is a salvage ref', (text, ref) => {
  const name = readSalvageRef(text);
  expect(name === null ? null : salvageRef(name)).toBe(ref);
});

it.each([
  'abc',
  'abc/0',
  'abc/-1',
  'abc/1/2',
  'refs/heads/abc/1',
  'refs/orange/merged/abc/1',
  '../abc/1',
  'abc/1\n',
  '--all/1',
])('%j is none', (text) => {
  expect(readSalvageRef(text)).toBeNull();
});
