import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadNewTasks } from '../../src/daemon/load-world.js';
import type { Observation } from '../../src/domain/observation.js';
import { failed } from '../../src/domain/result.js';
import type { Files } from '../../src/ports.js';
import { TASK_ID } from '../builders/task.js';
import { fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

const CREATION: Observation = {
  kind: 'request',
  actor: 'human',
  newId: TASK_ID,
  request: {
    kind: 'task.create',
    project: 'shop',
    branch: 'dark-mode',
    summary: 'Add a dark theme',
    harness: 'claude',
    reviewHarness: 'claude',
    context: 'Why.',
    status: 'pending',
    extensions: {},
  },
};

function refuse(path: string, operation: string) {
  return failed({ kind: 'io-failed', path, operation, code: 'EMFILE' });
}

/** A disk that has no descriptor left once TASK.md is written, but the one held back to look around. */
function shortOfFiles(isShort: () => boolean): (files: Files) => Files {
  return (files) => ({
    ...files,
    appendLines: (path, lines) =>
      isShort() ? refuse(path, 'append') : files.appendLines(path, lines),
    removeTree: (path, ...by) =>
      isShort() ? refuse(path, 'remove-tree') : files.removeTree(path, ...by),
  });
}

function lookForTasks(home: DaemonHome): readonly string[] {
  loadNewTasks({ ...home, launches: fakeLaunches() });
  return [...home.world.tasks.keys()];
}

describe('a task whose creation was refused', () => {
  it('F17 I1 is taken in by nobody while its folder cannot be removed, and gone when it can', () => {
    let isShort = true;
    using home = openDaemonHome(shortOfFiles(() => isShort));
    home.world.installedHarnesses.add('claude');
    const folder = home.paths.taskDir('shop', TASK_ID);
    expect(home.take(CREATION)).toBe(false);
    expect(existsSync(folder)).toBe(true);
    home.recorder.retryLate();
    expect(lookForTasks(home)).toEqual([]);
    isShort = false;
    home.recorder.retryLate();
    expect(existsSync(folder)).toBe(false);
    expect(lookForTasks(home)).toEqual([]);
    expect(home.take(CREATION)).toBe(true);
    expect([...home.world.tasks.keys()]).toEqual([TASK_ID]);
  });
});
