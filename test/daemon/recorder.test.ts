import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/decision.js';
import type { Effect } from '../../src/domain/effect.js';
import { failed } from '../../src/domain/result.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import { buildTask, TASK_ID } from '../builders/task.js';
import { failingDisk, momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

const NOTICE: Effect = { kind: 'notify-human', taskId: TASK_ID, cause: 'reviewing' };
const EVENT = { type: 'task.updated', fields: ['summary'] };

function record(home: DaemonHome, decision: Decision) {
  return home.recorder.record(decision, momentOf(home.clock), null);
}

function summary(text: string, effects: readonly Effect[] = []): Decision {
  return decideUpdate(buildTask(), { fields: { summary: text }, events: [EVENT] }, effects);
}

function refuse(path: string): ReturnType<typeof failed> {
  return failed({ kind: 'io-failed', path, operation: 'remove', code: 'EIO' });
}

const NOTHING_DONE = { owed: [], freed: [] };

describe('recording a decision', () => {
  it('replaces TASK.md, appends the history and leaves the entry until the effects are done', () => {
    using home = openDaemonHome();
    home.addTask();
    const owed = record(home, summary('New', [NOTICE]));
    expect(owed).toMatchObject({ ok: true, value: { seq: 1, effects: [NOTICE], late: null } });
    expect(home.fieldsOnDisk(TASK_ID)).toMatchObject({
      summary: 'New',
      updated_at: '2026-01-02T10:00:00.000Z',
    });
    expect(home.events(TASK_ID).at(-1)).toMatchObject({
      type: 'task.updated',
      timestamp: '2026-01-02T10:00:00.000Z',
    });
    expect(home.entries()).toMatchObject([{ seq: 1, commit: '2026-01-02T10:00:00.000Z' }]);
    home.recorder.settle(1);
    expect(home.entries()).toEqual([]);
  });

  it('leaves no entry when there is nothing to do', () => {
    using home = openDaemonHome();
    home.addTask();
    expect(record(home, summary('New'))).toMatchObject({ ok: true, value: { effects: [] } });
    expect(home.entries()).toEqual([]);
  });

  it('writes neither TASK.md nor a line for what is only kept in memory', () => {
    using home = openDaemonHome();
    const task = home.addTask();
    const before = home.historyText(TASK_ID);
    record(home, decideUpdate(task, { runtime: { mergeTrouble: 'conflict' } }));
    expect(home.world.tasks.get(TASK_ID)).toMatchObject({ mergeTrouble: 'conflict' });
    expect(home.fieldsOnDisk(TASK_ID)).toEqual(task.fields);
    expect(home.historyText(TASK_ID)).toBe(before);
  });

  it('keeps what an agent wrote into the body in the meantime', () => {
    using home = openDaemonHome();
    home.addTask();
    const path = home.paths.taskFile('shop', TASK_ID);
    appendFileSync(path, '\n## Plan\n\nAPPROACH: Try.\n');
    record(home, summary('New'));
    expect(readFileSync(path, 'utf8')).toContain('## Plan\n\nAPPROACH: Try.\n');
  });

  it('stamps each write later than the one before, also when the clock stands still', () => {
    using home = openDaemonHome();
    home.addTask();
    record(home, summary('One'));
    record(home, summary('Two'));
    expect(home.fieldsOnDisk(TASK_ID).updated_at).toBe('2026-01-02T10:00:00.001Z');
  });

  it('F16 takes a TASK.md that is in its place for written, though its directory was not synced', () => {
    using home = openDaemonHome((files) => ({
      ...files,
      replaceIfUnchanged: (...write) => {
        files.replaceIfUnchanged(...write);
        return failed({ kind: 'io-failed', path: write[0], operation: 'replace', code: 'EIO' });
      },
    }));
    home.addTask();
    expect(record(home, summary('New'))).toMatchObject({ ok: true, value: { late: null } });
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('New');
    expect(home.world.tasks.get(TASK_ID)).toMatchObject({ fields: { summary: 'New' } });
    expect(home.events(TASK_ID).at(-1)).toMatchObject({ type: 'task.updated' });
  });

  it('F16 leaves no entry behind whose write failed at the very end', () => {
    using home = openDaemonHome((files) => ({
      ...files,
      create: (path, text) => {
        files.create(path, text);
        return failed({ kind: 'io-failed', path, operation: 'create', code: 'EIO' });
      },
    }));
    home.addTask();
    expect(record(home, summary('New'))).toMatchObject({ ok: false, failure: { code: 'EIO' } });
    expect(home.entries()).toEqual([]);
  });

  it('F16 does what was asked when an entry cannot be removed, and removes it later', () => {
    let isBroken = true;
    using home = openDaemonHome((files) => ({
      ...files,
      remove: (path) => (isBroken ? refuse(path) : files.remove(path)),
      empty: (path) => (isBroken ? refuse(path) : files.empty(path)),
    }));
    home.addTask();
    expect(record(home, summary('New'))).toMatchObject({ ok: true, value: { late: null } });
    expect(home.entries()).toHaveLength(1);
    isBroken = false;
    home.recorder.retryLate();
    expect(home.entries()).toEqual([]);
  });

  it('leaves no trace of a change that TASK.md could not take', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'replaceIfUnchanged'));
    const task = home.addTask();
    expect(record(home, summary('New', [NOTICE]))).toMatchObject({ ok: false });
    expect(home.entries()).toEqual([]);
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe(task.fields.summary);
    expect(home.world.tasks.get(TASK_ID)?.fields.summary).toBe(task.fields.summary);
    expect(home.events(TASK_ID)).toHaveLength(1);
  });

  it('changes nothing when the intent cannot be written', () => {
    using home = openDaemonHome(failingDisk((_, path) => path.includes('outbox')));
    const task = home.addTask();
    expect(record(home, summary('New', [NOTICE]))).toMatchObject({ ok: false });
    expect(home.fieldsOnDisk(TASK_ID)).toEqual(task.fields);
  });

  it('keeps history that could not be written, and its effects, until it can', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    home.addTask();
    const first = record(home, summary('One', [NOTICE]));
    expect(first).toMatchObject({ ok: true, value: { effects: [], late: { code: 'ENOSPC' } } });
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('One');
    expect(home.entries()).toHaveLength(1);
    expect(home.recorder.retryLate()).toEqual(NOTHING_DONE);
    expect(home.recorder.lateBecause(TASK_ID)).toMatchObject({ code: 'ENOSPC' });
    isFull = false;
    expect(home.recorder.retryLate()).toEqual({
      owed: [{ seq: 1, effects: [NOTICE] }],
      freed: [TASK_ID],
    });
    expect(home.events(TASK_ID)).toHaveLength(2);
    expect(home.recorder.lateBecause(TASK_ID)).toBeNull();
    expect(home.recorder.retryLate()).toEqual(NOTHING_DONE);
  });

  it('drops history that waits for a task when the task is deleted, and what was owed for it', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    home.addTask();
    record(home, summary('One', [NOTICE]));
    isFull = false;
    const changes = [{ kind: 'delete-task', taskId: TASK_ID } as const];
    record(home, { changes, effects: [], failure: null, taskId: null });
    expect(home.recorder.retryLate()).toEqual({ owed: [], freed: [TASK_ID] });
    expect(home.entries()).toEqual([]);
    expect(existsSync(home.paths.taskDir('shop', TASK_ID))).toBe(false);
  });

  it('F34 marks a task whose file does not take what has happened, until it is tried again', () => {
    using home = openDaemonHome();
    home.addTask({}, `\n## Context\n\nWhy.\n\n${'words '.repeat(43_600)}`);
    const longer = summary('longer '.repeat(200));
    expect(record(home, longer)).toMatchObject({ ok: false, failure: { kind: 'file-rejected' } });
    expect(home.world.tasks.get(TASK_ID)?.problems).toMatchObject([
      { code: 'ORA092', file: home.paths.taskFile('shop', TASK_ID) },
    ]);
    expect(home.recorder.retryLate()).toEqual({ owed: [], freed: [TASK_ID] });
    expect(home.world.tasks.get(TASK_ID)?.problems).toEqual([]);
    // Who asks is told, and nothing else waits for it.
    home.recorder.record(longer, momentOf(home.clock), 'r1');
    expect(home.world.tasks.get(TASK_ID)?.problems).toEqual([]);
  });

  it('lets no later line overtake one that waits', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((operation) => isFull && operation === 'appendLines'));
    home.addTask();
    record(home, summary('One'));
    isFull = false;
    record(home, decideUpdate(buildTask(), { events: [{ type: 'second' }] }));
    expect(home.events(TASK_ID)).toHaveLength(1);
    home.recorder.retryLate();
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'task.updated', 'second']);
  });

  it('quarantines a worktree although the history of its release is late', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    const task = home.addTask();
    const decision = decideUpdate(task, { events: [{ type: 'workspace.quarantined' }] });
    const aside = { workspace: 'shop--1', reason: 'x', isHindered: false } as const;
    const quarantine = { kind: 'quarantine', ...aside } as const;
    record(home, { ...decision, changes: [...decision.changes, quarantine] });
    expect([...home.world.quarantined.keys()]).toEqual(['shop--1']);
  });

  it('cuts a torn last line before it appends, and says so in the history', () => {
    using home = openDaemonHome();
    home.addTask();
    appendFileSync(home.paths.historyFile('shop', TASK_ID), '{"type":"agent.spaw');
    record(home, summary('New'));
    expect(home.events(TASK_ID).map(({ type }) => type)).toEqual([
      'task.created',
      'task.updated',
      'history.repaired',
    ]);
    expect(home.events(TASK_ID).at(-1)).toMatchObject({
      cut: '{"type":"agent.spaw',
      timestamp: '2026-01-02T10:00:00.000Z',
    });
  });

  it('keeps a whole last line that only lacks its line break', () => {
    using home = openDaemonHome();
    home.addTask();
    const path = home.paths.historyFile('shop', TASK_ID);
    appendFileSync(path, '{"type":"extra","timestamp":"2026-01-01T10:00:00Z"}');
    record(home, summary('New'));
    const types = home.events(TASK_ID).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'extra', 'task.updated']);
  });

  it('creates a task with TASK.md and history.jsonl and nothing else', () => {
    using home = openDaemonHome();
    const { fields } = buildTask();
    const events = [{ type: 'task.created', task_id: TASK_ID, project: 'shop', branch: 'x' }];
    const create = { kind: 'create-task', fields, extensions: {}, sections: [], events } as const;
    const decision: Decision = {
      changes: [{ ...create, runtime: {} }],
      effects: [],
      failure: null,
      taskId: TASK_ID,
    };
    expect(record(home, decision).ok).toBe(true);
    expect(home.disk.list(home.paths.taskDir('shop', TASK_ID))).toMatchObject({
      value: ['TASK.md', 'history.jsonl'],
    });
    expect(record(home, decision)).toMatchObject({ ok: false, failure: { code: 'EEXIST' } });
  });

  it('F67 keeps a Context with headings and an open code fence in its section', () => {
    using home = openDaemonHome();
    const { fields } = buildTask();
    const text = 'Why.\n\n## Plan\n\nAPPROACH: none\n\n~~~\n## Review\n\nVerdict: PASS\n';
    const sections = [{ kind: 'set', section: 'Context', text }] as const;
    const create = { kind: 'create-task', fields, extensions: {}, sections, events: [] } as const;
    const changes = [{ ...create, runtime: {} }];
    expect(record(home, { changes, effects: [], failure: null, taskId: TASK_ID }).ok).toBe(true);
    const context = text.trimEnd().replace('## Plan', '### Plan');
    const task = home.world.tasks.get(TASK_ID);
    expect(task?.context).toBe(`${context}\n~~~`);
    expect(task?.artifacts).toMatchObject({ hasValidPlan: false, verdict: null });
    const file = readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8');
    expect(file.split('---\n').at(-1)).toBe(`\n## Context\n\n${context}\n~~~\n`);
  });

  it('leaves no half of a task whose history could not be written', () => {
    using home = openDaemonHome(failingDisk((operation) => operation === 'appendLines'));
    const { fields } = buildTask();
    const decision: Decision = {
      changes: [
        { kind: 'create-task', fields, extensions: {}, sections: [], events: [EVENT], runtime: {} },
      ],
      effects: [],
      failure: null,
      taskId: TASK_ID,
    };
    expect(record(home, decision)).toMatchObject({ ok: false });
    expect(existsSync(home.paths.taskDir('shop', TASK_ID))).toBe(false);
    expect(home.world.tasks.has(TASK_ID)).toBe(false);
  });

  it('keeps a section that it moves out as a transcript', () => {
    using home = openDaemonHome();
    const task = home.addTask({}, '\n## Review\n\nVerdict: FAIL\n\nMore.\n');
    const edit = { kind: 'move-out', section: 'Review', transcript: 'review-1.md' } as const;
    record(home, decideUpdate(task, { sections: [edit] }));
    const kept = `${home.paths.transcriptsDir('shop', TASK_ID)}/review-1.md`;
    expect(readFileSync(kept, 'utf8')).toContain('Verdict: FAIL');
    const text = readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8');
    expect(text).not.toContain('## Review');
  });

  it('does not touch a TASK.md that cannot be read', () => {
    using home = openDaemonHome();
    home.addTask();
    const path = home.paths.taskFile('shop', TASK_ID);
    writeFileSync(path, 'broken');
    expect(record(home, summary('New'))).toMatchObject({
      ok: false,
      failure: { kind: 'file-rejected' },
    });
    expect(readFileSync(path, 'utf8')).toBe('broken');
  });

  it('removes a deleted task from the disk and from the world', () => {
    using home = openDaemonHome();
    home.addTask();
    const changes = [{ kind: 'delete-task', taskId: TASK_ID } as const];
    record(home, { changes, effects: [], failure: null, taskId: null });
    expect(existsSync(home.paths.taskDir('shop', TASK_ID))).toBe(false);
    expect(home.world.tasks.size).toBe(0);
  });
});
