import { describe, expect, it } from 'vitest';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import { success } from '../../src/domain/result.js';
import { createTaskFileObserver, type FileContent } from '../../src/observe/task-file-observer.js';
import { buildTask } from '../builders/task.js';

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
