import { describe, expect, it } from 'vitest';
import { TaskWatches } from '../../src/daemon/task-watches.js';
import { createPaths } from '../../src/record/paths.js';
import { createFakeClock, createFakeWatching } from '../fakes/fake-watching.js';
import { buildTask } from '../builders/task.js';

const FOLDER = '/h/tasks/shop/one';
const WORKTREE = '/h/workspaces/shop--1';
const LAUNCHES = '/h/run/one';

function setUp() {
  const disk = createFakeWatching();
  const clock = createFakeClock();
  const hints: string[] = [];
  const others: string[] = [];
  const watches = new TaskWatches({
    watching: disk.watching,
    paths: createPaths('/h'),
    clock,
    onHint: (taskId) => hints.push(taskId),
    onOther: (path) => others.push(path),
  });
  return { ...disk, clock, hints, others, watches };
}

function task(id: string, workspace: string | null) {
  return buildTask({ fields: { id, project: 'shop', workspace } });
}

describe('watching tasks', () => {
  it('hints at the task whose TASK.md or exit record changed, and at no other file', () => {
    const { watches, change, hints } = setUp();
    watches.follow(task('one', 'shop--1'));
    watches.follow(task('two', null));
    change(FOLDER, 'history.jsonl');
    change(WORKTREE, 'package.json');
    change(LAUNCHES, '.worker.exit.123');
    expect(hints).toEqual([]);
    change(FOLDER, 'TASK.md');
    change(WORKTREE, 'TASK.md');
    change(LAUNCHES, 'worker.exit');
    change(LAUNCHES, null);
    expect(hints).toEqual(['one', 'one', 'one', 'one']);
  });

  it('F54 passes on what stirs beside the folders of tasks, such as the socket of the terminals', () => {
    const { watches, change, hints, others } = setUp();
    watches.follow(task('one', 'shop--1'));
    change('/h/run', 'tmux.sock');
    change('/h/run', 'one');
    change(LAUNCHES, 'tmux.sock');
    expect(others).toEqual(['/h/run/tmux.sock']);
    expect(hints).toEqual(['one']);
  });

  it('F36 watches a directory anew when it is made anew', () => {
    const { watches, change, watched, refuse, hints } = setUp();
    watches.follow(task('one', 'shop--1'));
    refuse('ENOENT', WORKTREE);
    change(WORKTREE, 'shop--1');
    expect(watched()).not.toContain(WORKTREE);
    expect(watches.state().state).toBe('watching');
    refuse(null, WORKTREE);
    change('/h/workspaces', 'shop--1');
    expect(watched()).toContain(WORKTREE);
    expect(hints).toEqual(['one', 'one']);
  });

  it('F36 watches the folders of tasks anew when what holds them is made anew', () => {
    const { watches, change, watched, refuse, clock, hints } = setUp();
    watches.follow(task('one', 'shop--1'));
    for (const path of ['/h/tasks/shop', FOLDER]) refuse('ENOENT', path);
    change('/h/tasks/shop', 'shop');
    expect(watched()).not.toContain('/h/tasks/shop');
    expect(watched()).not.toContain(FOLDER);
    expect(hints).toEqual(['one']);
    for (const path of ['/h/tasks/shop', FOLDER]) refuse(null, path);
    clock.pass(2000);
    watches.tend();
    expect(watched()).toEqual(expect.arrayContaining(['/h/tasks/shop', FOLDER]));
    expect(hints).not.toEqual(['one']);
  });

  it('leaves a worktree to the task that has it next', () => {
    const { watches, change, watched, hints } = setUp();
    watches.follow(task('one', 'shop--1'));
    watches.follow(task('two', 'shop--1'));
    watches.unfollow('one');
    expect(watched()).toContain(WORKTREE);
    expect(watched()).not.toContain(FOLDER);
    change(WORKTREE, 'TASK.md');
    expect(hints).toEqual(['two']);
  });

  it('F18 says when the machine gives no more watches, and takes them when it does again', () => {
    const { watches, clock, refuse, watched, hints } = setUp();
    refuse('EMFILE');
    expect(watches.follow(task('one', 'shop--1'))).toBe(false);
    expect(watches.state()).toMatchObject({ state: 'broken', reason: 'EMFILE', directories: 0 });
    clock.pass(1500);
    watches.tend();
    expect(watched()).toEqual([]);
    refuse(null);
    clock.pass(5000);
    watches.tend();
    expect(watches.state()).toMatchObject({ state: 'watching', directories: 6 });
    expect(hints).toContain('one');
  });

  it('F18 tells of a watch that broke later', () => {
    const { watches, breakWatch, hints } = setUp();
    watches.follow(task('one', null));
    breakWatch(FOLDER, 'ENOSPC');
    expect(watches.state()).toMatchObject({ state: 'broken', reason: 'ENOSPC' });
    expect(hints).toEqual(['one']);
  });

  it('distrusts events once a change has come without one', () => {
    const { watches, clock } = setUp();
    watches.follow(task('one', null));
    clock.pass(1000);
    watches.noteFound('one');
    clock.pass(1000);
    watches.tend();
    expect(watches.state().state).toBe('watching');
    clock.pass(2000);
    watches.tend();
    expect(watches.state()).toMatchObject({ state: 'broken', reason: 'missed' });
    clock.pass(61_000);
    expect(watches.state().state).toBe('watching');
  });
});
