import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSurplus } from '../../../src/daemon/mend/find-surplus.js';
import { TASK_ID } from '../../builders/task.js';
import { openDaemonHome, type DaemonHome } from '../daemon-home.js';

const MIB = 1024 * 1024;

/** Puts transcripts into a task's folder, the first of them the oldest, and names the surplus. */
function surplusOf(home: DaemonHome, names: readonly string[], bytes = 1): readonly string[] {
  const directory = home.paths.transcriptsDir('shop', TASK_ID);
  mkdirSync(directory, { recursive: true });
  for (const [index, name] of names.entries()) {
    const path = join(directory, name);
    writeFileSync(path, '');
    truncateSync(path, bytes);
    utimesSync(path, 1000 + index, 1000 + index);
  }
  return findSurplus(home).map((path) => basename(path));
}

const lateEdits = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `late-edit-${index}.md`);

describe('what a task keeps of words that came too late', () => {
  it('is the newest 50 of them; nothing else that somebody wrote goes', () => {
    using home = openDaemonHome();
    home.addTask();
    const others = ['review-1.md', 'notes-of-mine.md'];
    expect(surplusOf(home, [...others, ...lateEdits(52)])).toEqual([
      'late-edit-1.md',
      'late-edit-0.md',
    ]);
  });

  it('is at most 64 MiB of them', () => {
    using home = openDaemonHome();
    home.addTask();
    expect(surplusOf(home, lateEdits(6), 16 * MIB)).toEqual(['late-edit-1.md', 'late-edit-0.md']);
  });

  it('is the newest one and the one that the inbox names, however large', () => {
    using home = openDaemonHome();
    const task = home.addTask();
    home.world.putTask({ ...task, keptEdit: 'late-edit-0.md' });
    expect(surplusOf(home, lateEdits(3), 100 * MIB)).toEqual(['late-edit-1.md']);
  });
});
