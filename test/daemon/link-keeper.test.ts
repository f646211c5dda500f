import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LinkKeeper } from '../../src/daemon/link-keeper.js';
import type { Activity } from '../../src/domain/world.js';
import { buildTaskIn } from '../builders/task.js';
import { openDaemonHome } from './daemon-home.js';

it.each<[string, Activity | null, string]>([
  ['is put into a worktree that lacks it', null, 'link'],
  ['is left to the start that makes the worktree', 'starting', 'absent'],
  ['is not put into one that is being freed', 'releasing', 'absent'],
])('the link to TASK.md %s', (_, activity, kind) => {
  using home = openDaemonHome();
  const { files, paths } = home;
  const task = buildTaskIn('working', { activity, fields: { workspace: 'shop--1' } });
  files.makeDirectory(paths.workspace('shop--1'));
  new LinkKeeper(home).mend(task, 'changed', 0);
  const state = files.stat(join(paths.workspace('shop--1'), 'TASK.md'));
  expect(state).toMatchObject({ ok: true, value: { kind } });
});
