import { describe, expect, it } from 'vitest';
import { replayOutbox } from '../../src/daemon/replay-outbox.js';
import { StuckMoves } from '../../src/daemon/stuck-moves.js';
import { formatEvent } from '../../src/record/history-log.js';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, openDaemonHome, type DaemonHome } from './daemon-home.js';

const FIRST = '2026-01-01T10:00:00.000Z';
const SECOND = '2026-01-01T10:00:01.000Z';
const RELEASE = {
  kind: 'release-workspace',
  taskId: TASK_ID,
  session: null,
  workspace: 'shop--1',
  deleteBranch: false,
} as const;

function entryOf(seq: number, commit: string, effects: OutboxEntry['effects']): OutboxEntry {
  const events = [formatEvent({ type: 'task.updated', fields: ['summary'], seq }, commit)];
  return { seq, taskId: TASK_ID, commit, events, effects, requestId: null };
}

/** Two moves of one task that were committed when the disk was full. */
function givenStuck(home: DaemonHome): StuckMoves {
  home.addTask({ updated_at: SECOND });
  const outbox = createOutbox({ files: home.disk, paths: home.paths });
  outbox.write(entryOf(3, FIRST, []));
  outbox.write(entryOf(4, SECOND, [RELEASE]));
  const replayed = replayOutbox(home);
  if (!replayed.ok) throw new Error(JSON.stringify(replayed.failure));
  expect(replayed.value).toMatchObject({ owed: [], stuck: [{}, {}], nextSeq: 5 });
  return new StuckMoves(home, replayed.value.stuck);
}

describe('moves whose history could not be completed at the start', () => {
  it('F14 are completed in their order, and their task is let go with what is owed', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    const stuck = givenStuck(home);
    expect(stuck.failureOf(TASK_ID)).toMatchObject({ code: 'ENOSPC' });
    expect(stuck.diagnose(TASK_ID)).toMatchObject([{ code: 'ORA091' }]);
    expect(stuck.promises()).toEqual([RELEASE]);
    expect(stuck.retry()).toEqual([]);
    expect(home.entries()).toHaveLength(2);
    isFull = false;
    expect(stuck.retry()).toMatchObject([
      { taskId: TASK_ID, owed: [{ seq: 4, effects: [RELEASE] }] },
    ]);
    expect(stuck.failureOf(TASK_ID)).toBeNull();
    expect(home.events(TASK_ID).map(({ timestamp }) => timestamp)).toEqual([
      expect.any(String),
      FIRST,
      SECOND,
    ]);
    expect(stuck.retry()).toEqual([]);
  });

  it('say nothing of other tasks', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    const stuck = givenStuck(home);
    expect(stuck.failureOf('another')).toBeNull();
    expect(stuck.diagnose('another')).toEqual([]);
  });
});
