import { describe, expect, it } from 'vitest';
import { applyChange } from '../../src/api/apply-change.js';
import { EMPTY, NO_CHANGE, taskView } from './rig.js';

const THREE = { ...EMPTY, tasks: [taskView('a'), taskView('b'), taskView('c')] };
const ids = (snapshot: typeof EMPTY): readonly string[] =>
  snapshot.tasks.map((task) => task.fields.id);

describe('a change to a snapshot', () => {
  it('replaces tasks in their place and puts new ones last', () => {
    const after = applyChange(THREE, {
      ...NO_CHANGE,
      tasks: [taskView('d'), taskView('b', 'new words')],
    });
    expect(ids(after)).toEqual(['a', 'b', 'c', 'd']);
    expect(after.tasks[1]?.fields.summary).toBe('new words');
  });

  it('removes tasks', () => {
    expect(ids(applyChange(THREE, { ...NO_CHANGE, removed: ['b', 'zz'] }))).toEqual(['a', 'c']);
  });

  it('leaves alone what it does not speak of', () => {
    const after = applyChange(THREE, NO_CHANGE);
    expect(after).toEqual(THREE);
    expect(after.tasks).toBe(THREE.tasks);
  });

  it('replaces projects, worktrees and problems as a whole', () => {
    const problem = {
      code: 'ORA001',
      severity: 'error',
      file: '/f',
      line: 1,
      message: 'm',
      fix: 'f',
    } as const;
    const before = { ...THREE, problems: [problem] };
    expect(applyChange(before, { ...NO_CHANGE, problems: [] }).problems).toEqual([]);
    expect(applyChange(before, NO_CHANGE).problems).toEqual([problem]);
  });

  it('takes the order of the queue when it is told, and keeps it otherwise', () => {
    const queued = applyChange(THREE, { ...NO_CHANGE, queue: ['b', 'a'] });
    expect(queued.queue).toEqual(['b', 'a']);
    expect(applyChange(queued, NO_CHANGE).queue).toEqual(['b', 'a']);
    expect(applyChange(queued, { ...NO_CHANGE, queue: [] }).queue).toEqual([]);
  });
});
