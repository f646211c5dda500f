import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/domain/result.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

/** Gives a task up whose file somebody has spoiled. */
function giveUp(home: DaemonHome, spoil: (path: string) => void): Result<unknown> {
  const task = home.addTask();
  spoil(home.paths.taskFile('shop', TASK_ID));
  const decision = decideUpdate(task, { fields: { status: 'cancelled' }, events: [] }, []);
  return home.recorder.record(decision, momentOf(home.clock), null);
}

function keptWords(home: DaemonHome): readonly string[] {
  const directory = home.paths.transcriptsDir('shop', TASK_ID);
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
}

const LONG = 'words '.repeat(60_000);

describe('a task that is given up although its TASK.md', () => {
  it.each([
    ['says nothing', 'null', ['null']],
    ['is too long to be one', LONG, [LONG]],
    ['is not UTF-8', Buffer.from([0x61, 0xff, 0x62]), ['a\ufffdb']],
  ])('%s has it written anew, and what stood there is kept', (_, content, kept) => {
    using home = openDaemonHome();
    expect(giveUp(home, (path) => writeFileSync(path, content))).toMatchObject({ ok: true });
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('cancelled');
    expect(keptWords(home)).toEqual(kept);
  });

  it('F36 was deleted has it written anew', () => {
    using home = openDaemonHome();
    expect(giveUp(home, (path) => rmSync(path))).toMatchObject({ ok: true });
    expect(home.fieldsOnDisk(TASK_ID).status).toBe('cancelled');
    expect(readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8')).toContain('Why.');
  });

  it('cannot be kept is refused, and nothing is written over', () => {
    using home = openDaemonHome();
    const text = 'x'.repeat(5 * 1024 * 1024);
    const path = home.paths.taskFile('shop', TASK_ID);
    const refused = giveUp(home, () => writeFileSync(path, text));
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'io-failed', code: 'EFBIG' } });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is a folder is refused by name', () => {
    using home = openDaemonHome();
    const refused = giveUp(home, (path) => {
      rmSync(path);
      mkdirSync(path);
    });
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'io-failed' } });
  });

  it('F34 cannot be written so that it can be read again keeps what stands there', () => {
    using home = openDaemonHome();
    const task = home.addTask();
    const path = home.paths.taskFile('shop', TASK_ID);
    writeFileSync(path, 'null');
    const fields = { status: 'cancelled', created_at: '+010000-01-01T00:00:00.001Z' } as const;
    const decision = decideUpdate(task, { fields, events: [] }, []);
    const refused = home.recorder.record(decision, momentOf(home.clock), null);
    expect(refused).toMatchObject({
      ok: false,
      failure: { kind: 'file-rejected', diagnostics: [{ code: 'ORA035' }] },
    });
    expect(readFileSync(path, 'utf8')).toBe('null');
    expect(keptWords(home)).toEqual([]);
  });

  it('F13 cannot be written for want of space keeps what stands there', () => {
    let isFull = false;
    using home = openDaemonHome(failingDisk(() => isFull));
    const refused = giveUp(home, (path) => {
      writeFileSync(path, 'null');
      isFull = true;
    });
    expect(refused).toMatchObject({ ok: false, failure: { code: 'ENOSPC' } });
    expect(readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8')).toBe('null');
  });
});
