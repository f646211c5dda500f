import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clearTemporaries } from '../../src/daemon/clear-temporaries.js';
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

type Step = 'appendLines' | 'moveDirectory';

/** A disk that has no descriptor left from one step of a creation on, not even to clear up. */
function shortOfFiles(step: Step, isShort: () => boolean): (files: Files) => Files {
  return (files) => ({
    ...files,
    [step]: (...given: [string, never]) =>
      isShort() ? refuse(given[0], step) : files[step](...given),
    removeTree: (path, ...by) =>
      isShort() && existsSync(path) ? refuse(path, 'remove-tree') : files.removeTree(path, ...by),
  });
}

function lookForTasks(home: DaemonHome): readonly string[] {
  loadNewTasks({ ...home, launches: fakeLaunches() });
  return [...home.world.tasks.keys()];
}

describe('a task whose creation was refused', () => {
  it.each(['appendLines', 'moveDirectory'] as const)(
    'F17 I1 is none to anybody when %s fails, also to a daemon that starts, and can be made later',
    (step) => {
      let isShort = true;
      using home = openDaemonHome(shortOfFiles(step, () => isShort));
      home.world.installedHarnesses.add('claude');
      expect(home.take(CREATION)).toBe(false);
      expect(existsSync(home.paths.taskDir('shop', TASK_ID))).toBe(false);
      expect(existsSync(home.paths.taskDraft(TASK_ID))).toBe(true);
      expect(lookForTasks(home)).toEqual([]);
      expect(home.store.loadAll()).toEqual({ ok: true, value: [] });
      isShort = false;
      clearTemporaries(home, []);
      expect(readdirSync(home.paths.tasksDir)).not.toContain(`.${TASK_ID}.new`);
      expect(home.take(CREATION)).toBe(true);
      expect(lookForTasks(home)).toEqual([TASK_ID]);
      expect(readdirSync(home.paths.taskDir('shop', TASK_ID))).toEqual([
        'TASK.md',
        'history.jsonl',
      ]);
    },
  );
});
