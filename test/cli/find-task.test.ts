import { describe, expect, it } from 'vitest';
import { findProject, findTask, projectAround, taskAround } from '../../src/cli/find-task.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';

const DIR = '/h/workspaces';
const one = taskView({ fields: { id: 'aaaa1', branch: 'fix/one' } });
const two = taskView({ fields: { id: 'aaaa2', branch: 'two', workspace: 'shop--2' } });
const old = taskView({
  fields: { id: 'bbbb1', branch: 'two', status: 'done', workspace: null, tmux_session: null },
});
const TASKS = [one, two, old];

describe('findTask', () => {
  it.each([
    ['aaaa1', one],
    ['bbbb', old],
    ['shop/fix/one', one],
  ])('finds %s', (name, task) => {
    expect(findTask(TASKS, name)).toEqual({ ok: true, value: task });
  });

  it('takes the task that is not over when a branch was used twice', () => {
    expect(findTask(TASKS, 'shop/two')).toEqual({ ok: true, value: two });
  });

  it('finds a finished task by its branch when no other has it', () => {
    expect(findTask([one, old], 'shop/two')).toEqual({ ok: true, value: old });
  });

  it('refuses a prefix that fits several, and names them', () => {
    expect(findTask(TASKS, 'aaaa')).toMatchObject({
      failure: {
        kind: 'ambiguous',
        candidates: ['aaaa1 (shop/fix/one)', 'aaaa2 (shop/two)'],
      },
    });
  });

  it('an exact id wins over a longer one that begins with it', () => {
    const longer = taskView({ fields: { id: 'aaaa11' } });
    expect(findTask([longer, one], 'aaaa1')).toEqual({ ok: true, value: one });
  });

  it('does not take fewer than four characters, but says whom they fit', () => {
    expect(findTask(TASKS, 'bbb')).toMatchObject({
      failure: { kind: 'not-found', near: ['bbbb1'] },
    });
  });

  it('does not take an empty name for a prefix of everything', () => {
    expect(findTask(TASKS, '')).toMatchObject({ ok: false });
  });
});

describe('taskAround', () => {
  const around = (cwd: string, taskId?: string) =>
    taskAround({ tasks: TASKS, taskId, cwd, workspacesDir: DIR });

  it('believes ORANGE_TASK_ID before the directory', () => {
    expect(around(`${DIR}/shop--2`, 'aaaa1')).toEqual({ ok: true, value: one });
  });

  it('a wrong ORANGE_TASK_ID is an error, not a guess', () => {
    expect(around(`${DIR}/shop--2`, 'nope')).toMatchObject({ ok: false });
  });

  it('knows the task of a worktree from anywhere inside it', () => {
    expect(around(`${DIR}/shop--2/src/deep`)).toEqual({ ok: true, value: two });
  });

  it.each([DIR, `${DIR}/shop--9`, '/repos/shop', '/h/workspaces-2/shop--2'])(
    'knows none in %s',
    (cwd) => {
      expect(around(cwd)).toBeNull();
    },
  );
});

describe('projectAround', () => {
  const inner = { ...projectView('inner'), path: '/repos/shop/inner' };
  const dashed = projectView('a--b');
  const snapshot = snapshotOf(TASKS, [projectView(), inner, dashed]);

  it.each([
    ['/repos/shop', 'shop'],
    ['/repos/shop/src', 'shop'],
    ['/repos/shop/inner/src', 'inner'],
    [`${DIR}/shop--1/src`, 'shop'],
    [`${DIR}/a--b--3`, 'a--b'],
  ])('%s belongs to %s', (cwd, name) => {
    expect(projectAround(snapshot, cwd, DIR)?.name).toBe(name);
  });

  it.each(['/repos/shopping', '/', DIR, `${DIR}/other--1`])('%s belongs to none', (cwd) => {
    expect(projectAround(snapshot, cwd, DIR)).toBeNull();
  });
});

describe('findProject', () => {
  it('offers the nearest name', () => {
    expect(findProject([projectView()], 'shpo')).toMatchObject({
      failure: { kind: 'not-found', what: 'project', near: ['shop'] },
    });
  });
});
