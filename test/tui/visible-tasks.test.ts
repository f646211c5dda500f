import { describe, expect, it } from 'vitest';
import { STATUSES } from '../../src/domain/status.js';
import { FILTERS, initialUiState } from '../../src/tui/ui-state.js';
import { needsPerson, selectedIndex, visibleTasks } from '../../src/tui/visible-tasks.js';
import { manyTasks, snapshotOf, taskView, waitingTask } from './task-views.js';

const start = initialUiState({ project: null, showAll: false, unregistered: null });
const one = (status: (typeof STATUSES)[number]) =>
  taskView({ fields: { id: status, branch: status, status } });
const ids = (tasks: readonly { fields: { id: string } }[]) => tasks.map((task) => task.fields.id);

const pending = (id: string, priority: string, created_at: string) =>
  taskView({ fields: { id, status: 'pending', created_at }, extensions: { priority } });

describe('the tasks in the list', () => {
  it.each([
    [
      'all',
      [
        'clarification',
        'reviewing',
        'stuck',
        'planning',
        'working',
        'agent-review',
        'pending',
        'done',
        'cancelled',
      ],
    ],
    [
      'active',
      ['clarification', 'reviewing', 'stuck', 'planning', 'working', 'agent-review', 'pending'],
    ],
    ['inbox', ['clarification', 'reviewing', 'stuck']],
    ['done', ['done', 'cancelled']],
  ] as const)('under the filter %s', (filter, expected) => {
    const { tasks } = visibleTasks(snapshotOf(STATUSES.map(one)), { ...start, filter });
    expect(new Set(ids(tasks))).toEqual(new Set(expected));
    expect(FILTERS).toContain(filter);
  });

  it('come in the order of what a person should see first', () => {
    const { tasks } = visibleTasks(snapshotOf(STATUSES.map(one)), { ...start, filter: 'all' });
    expect(tasks.findIndex((task) => !needsPerson(task))).toBe(3);
    expect(ids(tasks).slice(-3)).toEqual(['pending', 'done', 'cancelled']);
  });

  it('are ordered by priority, then by age', () => {
    const tasks = [
      pending('late', 'normal', '2026-01-03'),
      pending('low', 'low', '2026-01-01'),
      pending('early', 'medium', '2026-01-02'),
      pending('urgent', 'critical', '2026-01-04'),
    ];
    expect(ids(visibleTasks({ ...snapshotOf(tasks), queue: [] }, start).tasks)).toEqual([
      'urgent',
      'early',
      'late',
      'low',
    ]);
  });

  it('wait in the order that the daemon says, wherever it says one', () => {
    const tasks = ['one', 'two', 'three'].map((branch) => waitingTask(branch));
    const queue = ['id-three', 'id-one'];
    const inOrder = ['id-three', 'id-one', 'id-two'];
    for (const filter of ['all', 'queue'] as const) {
      const shown = visibleTasks({ ...snapshotOf(tasks), queue }, { ...start, filter });
      expect(ids(shown.tasks)).toEqual(inOrder);
    }
  });

  it('match every word of a search, in any field and any case', () => {
    const tasks = [
      taskView({ fields: { id: 'a', summary: 'Mend the Login' } }),
      taskView({ fields: { id: 'b', branch: 'login' } }),
    ];
    expect(ids(visibleTasks(snapshotOf(tasks), { ...start, search: 'LOGIN mend' }).tasks)).toEqual([
      'a',
    ]);
  });

  it('ORC-41 show active tasks and count the folded backlog', () => {
    const backlog = taskView({
      fields: { id: 'b', status: 'pending' },
      extensions: { queue: 'backlog' },
    });
    const snapshot = snapshotOf([backlog, taskView({ fields: { id: 'a' } })]);
    expect(visibleTasks(snapshot, start)).toMatchObject({
      folded: 1,
      tasks: [{ fields: { id: 'a' } }],
    });
    expect(ids(visibleTasks(snapshot, { ...start, isBacklogOpen: true }).tasks)).toEqual([
      'a',
      'b',
    ]);
  });

  it('keep the selection, or its neighbour when the task left', () => {
    const tasks = manyTasks(4);
    expect(selectedIndex(tasks, { taskId: 'task0002', index: 0 })).toBe(2);
    expect(selectedIndex(tasks, { taskId: 'gone', index: 9 })).toBe(3);
    expect(selectedIndex([], { taskId: 'gone', index: 9 })).toBe(0);
  });
});
