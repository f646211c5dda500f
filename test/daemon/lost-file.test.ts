import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, openDaemonHome, type DaemonHome } from './daemon-home.js';

const SETTLE_MS = 1500;
const BODY = '\n## Context\n\nWhy.\n\n## Plan\n\nAPPROACH: x\n\n## Notes\n\nMine.\n';

function openLoop(home: DaemonHome): Loop {
  return new Loop({
    ...home,
    execute: async () => null,
    look: () => null,
    stuckBecause: () => null,
    newId: () => 'c3cccccccc',
    onSettled: () => undefined,
    onProgress: () => undefined,
    onAnswered: () => undefined,
    stops: { heed: () => undefined, forget: () => undefined },
  });
}

/** A task whose TASK.md was read, and is then spoiled. */
function spoil(home: DaemonHome, how: (path: string) => void) {
  home.addTask({ status: 'clarification' }, BODY, { tags: ['kept'] });
  const loop = openLoop(home);
  const path = home.paths.taskFile('shop', TASK_ID);
  const look = (): void => {
    const task = home.world.tasks.get(TASK_ID);
    const seen = task === undefined ? null : home.observer.observe(task, 'changed', SETTLE_MS);
    if (seen !== null) loop.see(seen);
    loop.see({ kind: 'reconsider', taskId: TASK_ID });
  };
  look();
  how(path);
  look();
  return { loop, path, look };
}

describe('a TASK.md that', () => {
  it.each([
    ['F13 is emptied', (path: string) => writeFileSync(path, '')],
    ['F13 has blanks and NULs alone', (path: string) => writeFileSync(path, '\n\0\0 \n')],
    ['F36 is removed from its folder', (path: string) => rmSync(path)],
  ])('%s and stays so is written anew, whole', (_, how) => {
    using home = openDaemonHome();
    const { path, look } = spoil(home, how);
    home.clock.advance(1999);
    look();
    expect(home.events(TASK_ID).map(({ type }) => type)).toEqual(['task.created']);
    home.clock.advance(1);
    look();
    const text = readFileSync(path, 'utf8');
    expect(text.endsWith(BODY)).toBe(true);
    expect(text).toMatch(/^tags: \[?.*kept/m);
    expect(home.events(TASK_ID).at(-1)).toMatchObject({
      type: 'task.restored',
      sections: ['Context', 'Plan'],
    });
    look();
    expect(home.world.tasks.get(TASK_ID)).toMatchObject({ problems: [], claims: null });
  });

  it('says something by then is left alone', () => {
    using home = openDaemonHome();
    const { path, look } = spoil(home, (file) => writeFileSync(file, ''));
    const loop = openLoop(home);
    writeFileSync(path, 'words');
    home.clock.advance(3000);
    loop.see({ kind: 'reconsider', taskId: TASK_ID });
    expect(readFileSync(path, 'utf8')).toBe('words');
    look();
    expect(home.events(TASK_ID).map(({ type }) => type)).toEqual(['task.created']);
  });

  it('is removed with its folder is not made again', () => {
    using home = openDaemonHome();
    const { look } = spoil(home, () =>
      rmSync(home.paths.taskDir('shop', TASK_ID), { recursive: true }),
    );
    home.clock.advance(10_000);
    look();
    expect(home.disk.stat(home.paths.taskDir('shop', TASK_ID))).toMatchObject({
      value: { kind: 'absent' },
    });
  });

  it('F13 is emptied on a full disk is written anew once there is room', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk(() => isFull));
    const { loop, path, look } = spoil(home, (file) => writeFileSync(file, ''));
    home.clock.advance(3000);
    look();
    loop.retryLate();
    expect(readFileSync(path, 'utf8')).toBe('');
    isFull = false;
    loop.retryLate();
    expect(readFileSync(path, 'utf8').endsWith(BODY)).toBe(true);
    expect(home.events(TASK_ID).filter(({ type }) => type === 'task.restored')).toHaveLength(1);
  });
});
