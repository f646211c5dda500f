import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { clearTemporaries } from '../../src/daemon/clear-temporaries.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { openDaemonHome } from './daemon-home.js';

it('F1 what a killed write left is removed at the next start, and nothing else', () => {
  using home = openDaemonHome();
  home.addTask({ status: 'working', workspace: 'shop--1', tmux_session: 'shop/dark-mode' });
  const { paths } = home;
  const places = [
    paths.home,
    paths.workspacesDir,
    paths.outboxDir,
    paths.taskDir('shop', TASK_ID),
    paths.transcriptsDir('shop', TASK_ID),
    paths.launchDir(TASK_ID),
    paths.ownEditsDir,
    paths.copyOriginsDir,
    paths.workspace('shop--1'),
  ];
  const left = places.map((place) => join(place, '.TASK.md.0123456789ab.tmp'));
  const others = [
    join(paths.home, '.projects.json.tmp'),
    join(paths.workspace('shop--1'), 'notes.0123456789ab.tmp'),
    join(paths.workspace('shop--1'), 'src', '.a.0123456789ab.tmp'),
  ];
  for (const path of [...left, ...others]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
  clearTemporaries(home, []);
  expect(left.filter((path) => existsSync(path))).toEqual([]);
  expect(others.filter((path) => !existsSync(path))).toEqual([]);
});

it('F1 a finished task is looked at only when something was owed for it', () => {
  using home = openDaemonHome();
  home.addTask({ status: 'cancelled' });
  const left = join(home.paths.taskDir('shop', TASK_ID), '.TASK.md.0123456789ab.tmp');
  writeFileSync(left, '');
  clearTemporaries(home, []);
  expect(existsSync(left)).toBe(true);
  clearTemporaries(home, [TASK_ID]);
  expect(existsSync(left)).toBe(false);
});

it('F1 what orange wrote into tasks is remembered no longer for those that are over or gone', () => {
  using home = openDaemonHome();
  const { paths } = home;
  const gone = 'a'.repeat(21);
  const unread = 'b'.repeat(21);
  home.addTask();
  mkdirSync(paths.taskDir('shop', unread), { recursive: true });
  mkdirSync(paths.ownEditsDir, { recursive: true });
  mkdirSync(paths.copyOriginsDir, { recursive: true });
  for (const id of [TASK_ID, gone, unread]) {
    writeFileSync(paths.ownEditsFile(id), '[]');
    writeFileSync(paths.copyOriginFile(id), '');
  }
  const left = (): readonly string[] => {
    const ids = [TASK_ID, gone, unread];
    const kept = ids.filter((id) => existsSync(paths.ownEditsFile(id)));
    expect(ids.filter((id) => existsSync(paths.copyOriginFile(id)))).toEqual(kept);
    return kept;
  };
  clearTemporaries(home, []);
  expect(left()).toEqual([TASK_ID, unread]);
  home.world.putTask(buildTaskIn('done'));
  clearTemporaries(home, []);
  expect(left()).toEqual([unread]);
});
