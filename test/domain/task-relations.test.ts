import { expect, it } from 'vitest';
import { idsIn, missingReferences, relateTasks } from '../../src/domain/task-relations.js';
import { toTaskJson } from '../../src/domain/task-view.js';
import { taskView } from '../tui/task-views.js';

const FIRST = 'V1StGXR8Z5jdHi6BmyT0a';
const SECOND = 'V1StGXR8Z5jdHi6BmyT0b';

it('ORC-45 blocks is the inverse of blocked_by, and is never stored', () => {
  const tasks = [
    taskView({ fields: { id: 'a' } }),
    taskView({ fields: { id: 'b' }, extensions: { blocked_by: ['a', 'a', 'gone'] } }),
    taskView({ fields: { id: 'c' }, extensions: { blocked_by: 'a' } }),
  ];
  const relations = relateTasks(tasks);
  expect(relations('a')).toEqual({ blocks: ['b', 'c'], referenced_by: [] });
  expect(relations('b').blocks).toEqual([]);
  const json = tasks.map((task) => toTaskJson(task, relations(task.fields.id)));
  expect(json.map(({ blocks }) => blocks)).toEqual([['b', 'c'], undefined, undefined]);
});

it('ORC-46 ORC-31 referenced_by is whose Context or related_to names the task', () => {
  const tasks = [
    taskView({ fields: { id: FIRST }, mentions: [FIRST] }),
    taskView({ fields: { id: 'b' }, mentions: [FIRST, SECOND] }),
    taskView({ fields: { id: 'c' }, extensions: { related_to: [FIRST] }, mentions: [FIRST] }),
  ];
  expect(relateTasks(tasks)(FIRST)).toEqual({ blocks: [], referenced_by: ['b', 'c'] });
});

it('ORC-47 relations are made anew from what the tasks say now', () => {
  const before = [taskView({ fields: { id: 'b' }, extensions: { blocked_by: ['a'] } })];
  const after = [taskView({ fields: { id: 'b' }, extensions: {} })];
  expect(relateTasks(before)('a').blocks).toEqual(['b']);
  expect(relateTasks(after)('a').blocks).toEqual([]);
});

it('ids in a text are whole words of their length, each once', () => {
  const text = `See ${FIRST}, (${SECOND}) and again ${FIRST}; not x${FIRST} nor ${FIRST}x.`;
  expect(idsIn(text)).toEqual([FIRST, SECOND]);
  expect(idsIn(null)).toEqual([]);
});

it('ORC-48 references to tasks that do not exist are found', () => {
  const task = taskView({ extensions: { blocked_by: ['a', 'gone'], related_to: 'lost' } });
  expect(missingReferences(task, (id) => id === 'a')).toEqual([
    { key: 'blocked_by', id: 'gone' },
    { key: 'related_to', id: 'lost' },
  ]);
});
