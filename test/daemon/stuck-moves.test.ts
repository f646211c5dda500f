import { describe, expect, it } from 'vitest';
import { reloadTask } from '../../src/daemon/load-world.js';
import { replayOutbox } from '../../src/daemon/replay-outbox.js';
import { StuckMoves } from '../../src/daemon/stuck-moves.js';
import { formatEvent } from '../../src/record/history-log.js';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

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

  it('F14 I1 are known meanwhile, so that their task is shown as its TASK.md has it', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    const created = home.addTask({ status: 'cancelled', updated_at: SECOND });
    const started = { type: 'status.changed', from: 'pending', to: 'planning' } as const;
    home.disk.appendLines(home.paths.historyFile('shop', TASK_ID), [formatEvent(started, FIRST)]);
    const event = { type: 'status.changed', from: 'planning', to: 'cancelled' } as const;
    const entry = { ...entryOf(3, SECOND, []), events: [formatEvent(event, SECOND)] };
    createOutbox({ files: home.disk, paths: home.paths }).write(entry);
    const replayed = replayOutbox(home);
    const stuck = new StuckMoves(home, replayed.ok ? replayed.value.stuck : []);
    expect(stuck.eventsOf(TASK_ID)).toEqual([{ ...event, timestamp: SECOND }]);
    home.world.removeTask(TASK_ID);
    reloadTask({ ...home, launches: fakeLaunches(), stuck }, created.fields);
    const shown = home.world.tasks.get(TASK_ID);
    expect(shown).toMatchObject({ fields: { status: 'cancelled' }, claims: null });
    expect(shown?.problems).toMatchObject([{ code: 'ORA091' }]);
  });

  it('F14 are not made up of a TASK.md that was never replaced', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    home.addTask({ updated_at: FIRST });
    const stuck = { entry: entryOf(3, SECOND, []), project: 'shop', laterCommits: [] };
    const failure = { kind: 'io-failed', path: 'x', operation: 'append', code: 'ENOSPC' } as const;
    const moves = new StuckMoves(home, [{ ...stuck, failure }]);
    expect(moves.eventsOf(TASK_ID)).toEqual([]);
  });

  it('F14 hold back what an earlier move of their task owes, and nothing of other tasks', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    const stuck = givenStuck(home);
    const earlier = { seq: 2, taskId: TASK_ID, effects: [RELEASE], events: [] };
    const other = { ...earlier, taskId: 'another' };
    expect(stuck.holdBack([earlier, other])).toEqual([other]);
    expect(stuck.promises()).toEqual([RELEASE, RELEASE]);
    isFull = false;
    expect(stuck.retry()).toMatchObject([{ owed: [{ seq: 2 }, { seq: 4 }] }]);
    expect(stuck.promises()).toEqual([]);
  });

  it('say nothing of other tasks', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    const stuck = givenStuck(home);
    expect(stuck.failureOf('another')).toBeNull();
    expect(stuck.diagnose('another')).toEqual([]);
    expect(stuck.eventsOf('another')).toEqual([]);
  });
});
