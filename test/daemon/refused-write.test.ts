import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, openDaemonHome, type DaemonHome } from './daemon-home.js';

const MAX_BYTES = 256 * 1024;

/** A task with a live agent, a loop, and what was shown of the task each time. */
function withAgent(home: DaemonHome) {
  const place = { workspace: 'shop--1', tmux_session: 'shop/dark-mode' };
  const agent = { launchId: 'worker-1', window: 'worker' } as const;
  // Without its milliseconds: the next time that is written there is longer.
  const updated_at = '2026-01-01T09:00:00Z';
  const task = home.addTask({ status: 'planning', updated_at, ...place });
  home.world.putTask({ ...task, worker: { kind: 'live', ...agent } });
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
  const end = (): void =>
    loop.see({ kind: 'agent-ended', taskId: TASK_ID, role: 'worker', ...agent, exit });
  return { loop, shown, end };
}

it('F13 shows all the time that a full disk takes nothing of what has happened, until it does', () => {
  let isFull = false;
  using home = openDaemonHome(failingDisk(() => isFull));
  const { loop, shown, end } = withAgent(home);
  isFull = true;
  end();
  for (let times = 0; times < 3; times += 1) loop.together(() => loop.retryLate());
  expect(new Set(shown.map((codes) => codes?.join()))).toEqual(new Set(['ORA092']));
  expect(home.world.tasks.get(TASK_ID)?.problems[0]?.message).toContain('the disk is full');
  isFull = false;
  loop.together(() => loop.retryLate());
  expect(shown.at(-1)).toEqual([]);
  expect(home.events(TASK_ID).map(({ type }) => type)).toContain('agent.crashed');
});

it('F34 shows all the time that a TASK.md does not take what has happened, until it does', () => {
  using home = openDaemonHome();
  const { loop, shown, end } = withAgent(home);
  const path = home.paths.taskFile('shop', TASK_ID);
  const text = `${readFileSync(path, 'utf8')}\n## Notes\n\n`;
  writeFileSync(path, text.padEnd(MAX_BYTES, 'x'));
  end();
  loop.retryLate();
  expect(new Set(shown.map((codes) => codes?.join()))).toEqual(new Set(['ORA092']));
  expect(home.events(TASK_ID).map(({ type }) => type)).toEqual(['task.created']);
  writeFileSync(path, text);
  loop.retryLate();
  expect(shown.at(-1)).toEqual([]);
  expect(home.events(TASK_ID).map(({ type }) => type)).toContain('agent.crashed');
});
