import { describe, expect, it } from 'vitest';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import { success } from '../../src/domain/result.js';
import { createTaskFileObserver, type FileContent } from '../../src/observe/task-file-observer.js';
import { buildTask } from '../builders/task.js';
import { manualClock } from '../daemon/daemon-home.js';

const TASK = buildTask();
const SETTLE_MS = 1500;
const { fields, extensions } = TASK;

function contentWith(body: string): FileContent {
  const seen = { fields, extensions, context: null, artifacts: NO_ARTIFACTS };
  return { kind: 'read', body, seen };
}

/** An observer over one file that changes by hand, with a clock that stands at 10 s. */
function openObserver(mtimeMs: number) {
  const file = { stamp: { mtimeMs, size: 10, inode: 1 }, reads: 0 };
  const observer = createTaskFileObserver({
    clock: { nowMs: () => 10_000, monotonicMs: () => 10_000 },
    source: {
      stamp: () => success(file.stamp),
      read: () => {
        file.reads += 1;
        return contentWith('read again');
      },
    },
  });
  return { file, observer };
}

describe('a file that was read while the daemon started', () => {
  it('is told at the first look without being read again, and then no more', () => {
    const { file, observer } = openObserver(0);
    observer.noteRead(fields.id, { stamp: file.stamp, content: contentWith('at the start') });
    const first = observer.observe(TASK, 'changed', SETTLE_MS);
    expect(first).toMatchObject({ kind: 'file-read', isSettled: true });
    expect(observer.observe(TASK, 'changed', SETTLE_MS)).toBeNull();
    expect(file.reads).toBe(0);
  });

  it('is told as not settled while it has not been quiet for long', () => {
    const { file, observer } = openObserver(9_500);
    observer.noteRead(fields.id, { stamp: file.stamp, content: contentWith('at the start') });
    expect(observer.observe(TASK, 'changed', SETTLE_MS)).toMatchObject({ isSettled: false });
    expect(observer.observe(TASK, 'changed', SETTLE_MS)).toBeNull();
  });

  it('is read again when it has changed meanwhile', () => {
    const { file, observer } = openObserver(0);
    observer.noteRead(fields.id, { stamp: file.stamp, content: contentWith('at the start') });
    file.stamp = { ...file.stamp, size: 11 };
    expect(observer.observe(TASK, 'changed', SETTLE_MS)).toMatchObject({ kind: 'file-read' });
    expect(file.reads).toBe(1);
  });
});

/** An observer over one file that is written by hand, with a clock that is set by hand. */
function watchFile() {
  const clock = manualClock();
  const task = buildTask();
  const file = { body: 'count: 1', mtimeMs: clock.nowMs(), reads: 0 };
  const observer = createTaskFileObserver({
    clock,
    source: {
      stamp: () => success({ mtimeMs: file.mtimeMs, size: file.body.length, inode: 1 }),
      read: () => {
        file.reads += 1;
        const seen = { fields, extensions, context: file.body, artifacts: NO_ARTIFACTS };
        return { kind: 'read', body: file.body, seen };
      },
    },
  });
  const look = () => observer.observe(task, 'changed', SETTLE_MS);
  return { clock, task, file, observer, look };
}

describe('looking at a task file', () => {
  it('sees a second write that left the same length and time stamp', () => {
    const { clock, file, look } = watchFile();
    expect(look()).toMatchObject({ context: 'count: 1', isSettled: false });
    file.body = 'count: 2';
    clock.advance(200);
    expect(look()).toMatchObject({ context: 'count: 2', isSettled: false });
    clock.advance(SETTLE_MS);
    expect(look()).toMatchObject({ context: 'count: 2', isSettled: true });
    expect(look()).toBeNull();
  });

  it('sees such a write right behind one of orange`s own', () => {
    const { clock, task, file, observer, look } = watchFile();
    look();
    clock.advance(SETTLE_MS);
    look();
    file.mtimeMs = clock.nowMs();
    const stamp = { mtimeMs: file.mtimeMs, size: file.body.length, inode: 1 };
    observer.noteWrite(task, { stamp, body: file.body });
    expect(look()).toBeNull();
    file.body = 'count: 3';
    expect(look()).toMatchObject({ context: 'count: 3' });
  });

  it('reads a file that stays as it is twice and then no more', () => {
    const { clock, file, look } = watchFile();
    look();
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1000);
      look();
    }
    expect(file.reads).toBe(2);
  });
});

/** An observer over one name at which there is no file, but something else each time. */
function watchOddity() {
  const clock = manualClock();
  const there = { code: 'ORA004', message: 'the file does not exist' };
  const observer = createTaskFileObserver({
    clock,
    source: {
      stamp: () => success(null),
      read: () => ({
        kind: 'unreadable',
        diagnostics: [{ ...there, severity: 'error', file: 'TASK.md', line: 1, fix: 'mend it' }],
      }),
    },
  });
  return {
    become: (code: string, message: string) => Object.assign(there, { code, message }),
    look: () => {
      clock.advance(SETTLE_MS);
      return observer.observe(TASK, 'changed', SETTLE_MS);
    },
  };
}

describe('looking at what is no file', () => {
  it('F33 F35 tells what is there now, whatever was there before, and once it is settled no more', () => {
    const { become, look } = watchOddity();
    const absent = ['ORA004', 'the file does not exist'] as const;
    const special = ['ORA001', 'this is not a regular file'] as const;
    const linked = ['ORA001', 'the file is a symbolic link'] as const;
    for (const [code, message] of [absent, special, linked, absent]) {
      become(code, message);
      expect(look()).toMatchObject({ kind: 'file-unreadable', diagnostics: [{ code, message }] });
      look();
      expect(look()).toBeNull();
    }
  });
});
