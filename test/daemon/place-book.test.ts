import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { PlaceBook } from '../../src/daemon/place-book.js';
import { buildTask, TASK_ID } from '../builders/task.js';

function worldWith(...[parts]: Parameters<typeof buildTask>): LiveWorld {
  const world = new LiveWorld();
  world.putTask(buildTask(parts));
  return world;
}

describe('whether the pool may have changed', () => {
  it('it has when a task gets a worktree, another branch, or goes; not when anything else changes', () => {
    const book = new PlaceBook();
    const world = worldWith({ fields: { workspace: null } });
    expect(book.note(world, [TASK_ID])).toBe(true);
    world.putTask(buildTask({ fields: { workspace: null, crash_count: 1 } }));
    expect(book.note(world, [TASK_ID])).toBe(false);
    world.putTask(buildTask({ fields: { workspace: 'shop--1' } }));
    expect(book.note(world, [TASK_ID])).toBe(true);
    world.putTask(buildTask({ fields: { workspace: 'shop--1', branch: 'night-mode' } }));
    expect(book.note(world, [TASK_ID])).toBe(true);
    world.removeTask(TASK_ID);
    expect(book.note(world, [TASK_ID])).toBe(true);
    expect(book.note(world, [TASK_ID])).toBe(false);
  });

  it('it has when a worktree is made or set aside', () => {
    const book = new PlaceBook();
    const world = new LiveWorld();
    expect(book.note(world, [])).toBe(true);
    expect(book.note(world, [])).toBe(false);
    world.worktrees.add('shop--1');
    expect(book.note(world, [])).toBe(true);
    world.quarantined.set('shop--1', { reason: 'it is not clean', failures: 0 });
    expect(book.note(world, [])).toBe(true);
  });
});
