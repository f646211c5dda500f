import { expect, it } from 'vitest';
import { findBlockingPath, findCycle, findTasksInCycles } from '../../src/domain/blocking.js';
import { instantOf } from '../../src/domain/instant.js';

function graph(edges: Readonly<Record<string, readonly string[]>>) {
  return (id: string): readonly string[] => edges[id] ?? [];
}

it('a path along blockers has both ends', () => {
  const blocking = graph({ a: ['b', 'x'], b: ['c'], x: ['x'] });
  expect(findBlockingPath(blocking, 'a', 'c')).toEqual(['a', 'b', 'c']);
  expect(findBlockingPath(blocking, 'a', 'a')).toEqual(['a']);
  expect(findBlockingPath(blocking, 'c', 'a')).toBeNull();
});

it('a cycle leads from a task back to itself', () => {
  const blocking = graph({ a: ['x', 'b'], b: ['c'], c: ['a'], d: ['d'], e: ['a'] });
  expect(findCycle(blocking, 'a')).toEqual(['a', 'b', 'c', 'a']);
  expect(findCycle(blocking, 'd')).toEqual(['d', 'd']);
  expect(findCycle(blocking, 'e')).toBeNull();
});

it('tasks in cycles are those that reach themselves', () => {
  const edges = {
    a: ['b'],
    b: ['c', 'd'],
    c: ['a'],
    d: ['e'],
    e: ['e'],
    f: ['a'],
    g: ['h', 'i'],
    h: ['i'],
    i: [],
  };
  const found = findTasksInCycles(Object.keys(edges), graph(edges));
  expect([...found].toSorted()).toEqual(['a', 'b', 'c', 'e']);
});

it('a chain of ten thousand tasks, closed at its end, is one cycle', () => {
  const ids = Array.from({ length: 10_000 }, (_, number) => `t${number}`);
  const blocking = (id: string): readonly string[] => [
    `t${(Number(id.slice(1)) + 1) % ids.length}`,
  ];
  expect(findTasksInCycles(ids, blocking).size).toBe(ids.length);
});

it.each(['1970-01-01T00:00:00.000Z', '2024-02-29T23:59:59.000Z', '2100-03-01T12:30:00.000Z'])(
  'the instant of %s is what the calendar says',
  (timestamp) => {
    expect(instantOf(timestamp)).toBe(Date.parse(timestamp));
  },
);

it('what is no timestamp has no instant', () => {
  expect(instantOf('yesterday')).toBeNull();
});
