import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTasks } from '../../src/daemon/load-world.js';
import { listPromises, replayOutbox, type Replayed } from '../../src/daemon/replay-outbox.js';
import { takeOverOwed } from '../../src/daemon/take-over-owed.js';
import { formatEvent } from '../../src/record/history-log.js';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

const BEFORE = '2026-01-01T09:00:00.000Z';
const LATER = '2026-01-01T11:00:00.000Z';
const COMMIT = '2026-01-01T10:00:00.000Z';
const MOVED = formatEvent({ type: 'status.changed', from: 'pending', to: 'planning' }, COMMIT);
const START = {
  kind: 'start-agent',
  taskId: TASK_ID,
  role: 'worker',
  window: 'worker',
  launchId: 'worker-1',
  workspace: 'shop--1',
  isResuming: false,
  message: null,
  session: 'shop/dark-mode',
  needsBinding: true,
} as const;
const NOTICE = { kind: 'notify-human', taskId: TASK_ID, cause: 'reviewing' } as const;

function entry(change: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    seq: 3,
    taskId: TASK_ID,
    commit: COMMIT,
    events: [MOVED],
    effects: [NOTICE],
    requestId: null,
    ...change,
  };
}

function replay(home: DaemonHome): Replayed {
  const replayed = replayOutbox(home);
  if (!replayed.ok) throw new Error(JSON.stringify(replayed.failure));
  return replayed.value;
}

describe('replaying the outbox', () => {
  it('drops an entry whose TASK.md was never replaced', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: BEFORE });
    home.outbox.write(entry());
    expect(replay(home)).toMatchObject({ owed: [], nextSeq: 4 });
    expect(home.entries()).toEqual([]);
    expect(home.events(TASK_ID).map(({ type }) => type)).toEqual(['task.created']);
  });

  it('F16 drops an entry that never counted although TASK.md was written later', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: LATER });
    home.outbox.write(entry({ sets: { status: 'planning', workspace: 'shop--1' } }));
    expect(replay(home).owed).toEqual([]);
    expect(home.entries()).toEqual([]);
    expect(home.historyText(TASK_ID)).not.toContain(MOVED);
  });

  it('completes a move whose updated_at somebody has raised since', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: LATER, status: 'planning', workspace: 'shop--1' });
    home.outbox.write(entry({ sets: { status: 'planning', workspace: 'shop--1' } }));
    expect(replay(home).owed).toHaveLength(1);
    expect(home.historyText(TASK_ID)).toContain(MOVED);
  });

  describe('where somebody has raised updated_at', () => {
    const UPDATED = formatEvent({ type: 'task.updated', fields: ['summary'] }, COMMIT);
    const update = (change: Partial<OutboxEntry>): OutboxEntry =>
      entry({ events: [UPDATED], effects: [], ...change });

    function counts(home: DaemonHome, change: Partial<OutboxEntry>): boolean {
      home.outbox.write(update(change));
      replay(home);
      expect(home.entries()).toEqual([]);
      return home.historyText(TASK_ID).includes(UPDATED);
    }

    it.each<[string, Partial<OutboxEntry>]>([
      ['a summary', { sets: { summary: 'Other words' } }],
      ['a harness', { sets: { harness: 'codex' } }],
      ['an extension', { sets: {}, extensions: { priority: 'high' } }],
      ['one of two', { sets: { summary: 'New' }, extensions: { priority: 'high' } }],
      ['the removal of an extension', { sets: {}, extensions: { hold: null } }],
      ['what no field shows', { sets: {}, extensions: {} }],
    ])('F1 drops an update of which the file lacks %s', (_, change) => {
      using home = openDaemonHome();
      home.addTask({ updated_at: LATER, summary: 'New' }, '', { hold: 'x' });
      expect(counts(home, change)).toBe(false);
    });

    it.each<[string, Partial<OutboxEntry>]>([
      ['shows', { sets: { summary: 'New' }, extensions: { hold: 'x', priority: null } }],
      ['cannot tell of, since an older orange wrote the entry', {}],
    ])('completes an update that the file %s', (_, change) => {
      using home = openDaemonHome();
      home.addTask({ updated_at: LATER, summary: 'New' }, '', { hold: 'x' });
      expect(counts(home, change)).toBe(true);
    });

    it('completes a move although its agent has changed the summary since', () => {
      using home = openDaemonHome();
      home.addTask({ updated_at: LATER, status: 'planning', summary: 'Of the agent' });
      const sets = { status: 'planning', summary: 'Of a person' };
      expect(counts(home, { sets, extensions: { tags: ['a'] } })).toBe(true);
    });
  });

  it('F10 completes a move although its history has events of a later time', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    const reported = formatEvent({ type: 'progress.reported', text: 'x' }, LATER);
    appendFileSync(home.paths.historyFile('shop', TASK_ID), `${reported}\n`);
    home.outbox.write(entry());
    expect(replay(home).owed).toHaveLength(1);
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'progress.reported', 'status.changed']);
  });

  it('completes in their order moves of which TASK.md shows only the last', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: LATER, status: 'working' });
    const next = formatEvent({ type: 'auto.advanced', from: 'planning', to: 'working' }, LATER);
    home.outbox.write(entry({ sets: { status: 'planning' } }));
    const sets = { status: 'working' };
    home.outbox.write(entry({ seq: 4, commit: LATER, sets, events: [next] }));
    expect(replay(home).owed).toHaveLength(2);
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'status.changed', 'auto.advanced']);
  });

  it('compares moments, not how they are written', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: '2026-01-01T10:00:00Z' });
    home.outbox.write(entry({ commit: '2026-01-01T10:00:00.001Z' }));
    expect(replay(home).owed).toEqual([]);
    home.outbox.write(entry({ commit: '2026-01-01T10:00:00.000Z' }));
    expect(replay(home).owed).toHaveLength(1);
  });

  it('appends the history that was missing when TASK.md shows the change, and does so once', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    home.outbox.write(entry());
    expect(replay(home).owed).toMatchObject([{ seq: 3, taskId: TASK_ID, effects: [NOTICE] }]);
    expect(replay(home).owed).toHaveLength(1);
    expect(home.historyText(TASK_ID).split('\n').filter(Boolean)).toHaveLength(2);
    expect(home.historyText(TASK_ID)).toContain(MOVED);
  });

  it('appends only those lines that are missing', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    const spawned = formatEvent({ type: 'agent.spawned', launch: 'worker-1' }, COMMIT);
    appendFileSync(home.paths.historyFile('shop', TASK_ID), `${spawned}\n`);
    home.outbox.write(entry({ events: [spawned, MOVED] }));
    replay(home);
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'agent.spawned', 'status.changed']);
  });

  it('forgets an entry that owes nothing any more', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    home.outbox.write(entry({ effects: [] }));
    expect(replay(home).owed).toEqual([]);
    expect(home.entries()).toEqual([]);
    expect(home.events(TASK_ID)).toHaveLength(2);
  });

  it('keeps an entry whose events are recorded although an old copy of TASK.md was saved since', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: BEFORE });
    appendFileSync(home.paths.historyFile('shop', TASK_ID), `${MOVED}\n`);
    home.outbox.write(entry());
    expect(replay(home).owed).toHaveLength(1);
    expect(home.events(TASK_ID)).toHaveLength(2);
  });

  it('keeps an entry that needed no change of TASK.md', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: BEFORE });
    home.outbox.write(entry({ commit: null, events: [] }));
    expect(replay(home).owed).toMatchObject([{ seq: 3, effects: [NOTICE] }]);
  });

  it('does not lose the event of a task whose TASK.md cannot be read', () => {
    using home = openDaemonHome();
    home.addTask();
    writeFileSync(home.paths.taskFile('shop', TASK_ID), 'no frontmatter');
    home.outbox.write(entry());
    expect(replay(home).owed).toHaveLength(1);
    expect(home.events(TASK_ID)).toHaveLength(2);
  });

  it('drops an entry of a task that is gone', () => {
    using home = openDaemonHome();
    home.outbox.write(entry());
    expect(replay(home).owed).toEqual([]);
    expect(home.entries()).toEqual([]);
  });

  it('cuts a torn end that is no whole character, and doubles no line for it', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    const path = home.paths.historyFile('shop', TASK_ID);
    const earlier = formatEvent({ type: 'agent.spawned', launch: 'worker-1' }, COMMIT);
    appendFileSync(path, `${earlier}\n{"type":"status.changed","reason":"`);
    appendFileSync(path, Buffer.from([0xe2, 0x82]));
    home.outbox.write(entry({ events: [earlier, MOVED] }));
    replay(home);
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'agent.spawned', 'status.changed', 'history.repaired']);
    expect(home.events(TASK_ID).at(-1)).toMatchObject({ timestamp: COMMIT });
  });

  it('hands entries on in the order in which they were written', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    for (const seq of [12, 2, 101]) home.outbox.write(entry({ seq, commit: null, events: [] }));
    expect(replay(home).owed.map(({ seq }) => seq)).toEqual([2, 12, 101]);
    expect(replay(home).nextSeq).toBe(102);
  });

  it('shows an entry the history as later entries have completed it', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: COMMIT });
    const spawned = formatEvent({ type: 'agent.spawned', launch: 'worker-1' }, COMMIT);
    home.outbox.write(entry({ seq: 1, commit: null, events: [] }));
    home.outbox.write(entry({ seq: 2, commit: null, events: [spawned], effects: [] }));
    const [owed] = replay(home).owed;
    expect(owed).toMatchObject({ seq: 1 });
    expect(owed?.events.map(({ type }) => type)).toEqual(['task.created', 'agent.spawned']);
  });

  it('reports an entry that cannot be read, leaves it alone and never writes over it', () => {
    using home = openDaemonHome();
    home.addTask();
    home.outbox.write(entry({ seq: 4, commit: null, events: [] }));
    const damaged = join(home.paths.outboxDir, '000000000007.json');
    writeFileSync(damaged, '{"seq":7,\n');
    const replayed = replay(home);
    expect(replayed.damaged).toMatchObject([{ code: 'ORA090', file: damaged }]);
    expect(replayed.owed).toHaveLength(1);
    expect(replayed.nextSeq).toBe(8);
  });

  it('F1 takes away an entry that a kill left half written, without a word', () => {
    using home = openDaemonHome();
    home.addTask();
    const torn = join(home.paths.outboxDir, '000000000007.json');
    mkdirSync(home.paths.outboxDir, { recursive: true });
    writeFileSync(torn, '{"seq":7,"taskId":');
    expect(replay(home)).toMatchObject({ owed: [], damaged: [], nextSeq: 8 });
    expect(existsSync(torn)).toBe(false);
  });

  it('keeps an entry whose history cannot be completed, says so, and serves the others', () => {
    const home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    using _ = home;
    home.addTask({ updated_at: COMMIT });
    createOutbox({ files: home.disk, paths: home.paths }).write(entry());
    const replayed = replayOutbox(home);
    expect(replayed).toMatchObject({
      ok: true,
      value: { owed: [], damaged: [], stuck: [{ entry: { seq: 3 }, failure: { code: 'ENOSPC' } }] },
    });
    expect(home.entries()).toHaveLength(1);
  });

  it('F3 tells whoever only looks what is promised, and changes nothing', () => {
    using home = openDaemonHome();
    home.addTask({ updated_at: BEFORE });
    home.outbox.write(entry({ effects: [START] }));
    home.outbox.write(entry({ seq: 4, taskId: 'gone' }));
    const promised = listPromises(home);
    expect(promised).toMatchObject({ ok: true, value: [{ seq: 3, effects: [START] }] });
    expect(home.entries()).toHaveLength(2);
    loadTasks({ ...home, launches: fakeLaunches() });
    takeOverOwed({ ...home, launches: fakeLaunches() }, promised.ok ? promised.value : []);
    expect(home.world.tasks.get(TASK_ID)).toMatchObject({
      activity: 'starting',
      reservedWorkspace: 'shop--1',
      worker: { kind: 'starting', launchId: 'worker-1' },
    });
  });
});
