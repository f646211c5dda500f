import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { TASK_ID } from '../builders/task.js';
import { openDaemonHome } from './daemon-home.js';

const MAX_BYTES = 256 * 1024;

it('F34 shows all the time that a TASK.md does not take what has happened, until it does', () => {
  using home = openDaemonHome();
  const place = { workspace: 'shop--1', tmux_session: 'shop/dark-mode' };
  const agent = { launchId: 'worker-1', window: 'worker' } as const;
  // Without its milliseconds: the next time that is written there is longer.
  const updated_at = '2026-01-01T09:00:00Z';
  const task = home.addTask({ status: 'planning', updated_at, ...place });
  home.world.putTask({ ...task, worker: { kind: 'live', ...agent } });
  const path = home.paths.taskFile('shop', TASK_ID);
  const text = `${readFileSync(path, 'utf8')}\n## Notes\n\n`;
  writeFileSync(path, text.padEnd(MAX_BYTES, 'x'));
  const shown: (readonly string[] | undefined)[] = [];
  const loop = new Loop({
    ...home,
    execute: async () => null,
    look: () => null,
    stuckBecause: () => null,
    newId: () => 'c3cccccccc',
    onSettled: () =>
      void shown.push(home.world.tasks.get(TASK_ID)?.problems.map(({ code }) => code)),
    onProgress: () => undefined,
    onAnswered: () => undefined,
    stops: { heed: () => undefined, forget: () => undefined },
  });
  const exit = { status: 3, signal: null, hasScreen: false } as const;
  loop.see({ kind: 'agent-ended', taskId: TASK_ID, role: 'worker', ...agent, exit });
  loop.retryLate();
  expect(new Set(shown.map((codes) => codes?.join()))).toEqual(new Set(['ORA092']));
  expect(home.events(TASK_ID).map(({ type }) => type)).toEqual(['task.created']);
  writeFileSync(path, text);
  loop.retryLate();
  expect(shown.at(-1)).toEqual([]);
  expect(home.events(TASK_ID).map(({ type }) => type)).toContain('agent.crashed');
});
