import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepScreen } from '../../src/execute/keep-screen.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { failingDisk, fakeLaunches, memoryLog } from '../daemon/daemon-home.js';
import { temporaryHome } from '../record/temporary-home.js';

const EFFECT = {
  kind: 'keep-screen',
  taskId: TASK_ID,
  window: 'worker',
  transcript: 'worker-1.txt',
} as const;

/** What the effect needs, on a disk of its own, with this screen left behind. */
function givenScreen(screen: readonly string[] | null, isBroken = false) {
  const home = temporaryHome();
  const log = memoryLog();
  const path = join(home.paths.transcriptsDir('shop', TASK_ID), EFFECT.transcript);
  const files = failingDisk(() => isBroken)(home.files);
  return {
    log,
    path,
    files,
    findTask: () => buildTaskIn('working'),
    transcriptFile: () => path,
    launches: { ...fakeLaunches(), screen: async () => screen },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('keeping the last screen of an agent', () => {
  it('writes it under the name that the history gave', async () => {
    using parts = givenScreen(['first', 'last']);
    await keepScreen(parts, EFFECT);
    expect(readFileSync(parts.path, 'utf8')).toBe('first\nlast\n');
  });

  it('says so when there was none', async () => {
    using parts = givenScreen(null);
    await keepScreen(parts, EFFECT);
    expect(readFileSync(parts.path, 'utf8')).toContain('the terminal was gone');
  });

  it('does it once: a later agent’s screen does not take the place of this one’s', async () => {
    using parts = givenScreen(['of another']);
    mkdirSync(dirname(parts.path), { recursive: true });
    writeFileSync(parts.path, 'of this one\n');
    await keepScreen(parts, EFFECT);
    expect(readFileSync(parts.path, 'utf8')).toBe('of this one\n');
  });

  it('has nothing to do for a task that is gone', async () => {
    using parts = givenScreen(['last']);
    await keepScreen({ ...parts, findTask: () => null }, EFFECT);
    expect(parts.files.stat(parts.path)).toMatchObject({ value: { kind: 'absent' } });
  });

  it('F13 goes on with a full disk, and leaves a word in the log', async () => {
    using parts = givenScreen(['last'], true);
    expect(await keepScreen(parts, EFFECT)).toBeNull();
    expect(parts.log.records).toMatchObject([{ event: 'screen.not-kept', failure: 'io-failed' }]);
  });
});
