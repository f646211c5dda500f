import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../src/ports.js';
import { formatEvent } from '../../src/record/history-log.js';
import type { TaskEdits } from '../../src/record/edit-task-file.js';
import type { ReplacedFile } from '../../src/record/replace-task-file.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { SAMPLE_FIELDS, SAMPLE_TEXT, sampleTask } from './sample-task.js';
import { temporaryHome, type TemporaryHome } from './temporary-home.js';

const { id, project } = SAMPLE_FIELDS;
const EVENT = formatEvent(
  { type: 'task.created', task_id: id, project, branch: 'b' },
  '2026-01-31T09:30:00Z',
);

function storeIn(home: TemporaryHome, files: Files = home.files) {
  return createTaskStore({ files, paths: home.paths });
}

function created(home: TemporaryHome): string {
  expect(storeIn(home).create(sampleTask(), [EVENT])).toMatchObject({ ok: true });
  return home.paths.taskFile(project, id);
}

const takeOut = (): TaskEdits => ({
  body: '\n',
  transcripts: [{ name: 'taken-out.md', text: 'Why.' }],
});

/** The disk, with somebody else acting just before a replacement; `n` counts from 1. */
function interrupted(files: Files, act: (n: number) => void): Files {
  let calls = 0;
  return {
    ...files,
    replaceIfUnchanged: (path, ...rest) => {
      calls += 1;
      act(calls);
      return files.replaceIfUnchanged(path, ...rest);
    },
  };
}

describe('the task store', () => {
  it('ORA-7 ORA-8 ORA-9 a new task is a directory with TASK.md and history.jsonl, nothing else', () => {
    using home = temporaryHome();
    const file = created(home);
    expect(readdirSync(home.paths.taskDir(project, id))).toEqual(['TASK.md', 'history.jsonl']);
    expect(readFileSync(file, 'utf8')).toBe(SAMPLE_TEXT);
    expect(readFileSync(home.paths.historyFile(project, id), 'utf8')).toBe(`${EVENT}\n`);
    expect(storeIn(home).create(sampleTask(), [])).toMatchObject({
      ok: false,
      failure: { kind: 'io-failed', code: 'EEXIST' },
    });
  });

  it('creates all of a task or none of it', () => {
    using home = temporaryHome();
    const failing: Files = {
      ...home.files,
      appendLines: (path) => ({
        ok: false,
        failure: { kind: 'io-failed', path, operation: 'append', code: 'ENOSPC' },
      }),
    };
    expect(storeIn(home, failing).create(sampleTask(), [EVENT])).toMatchObject({ ok: false });
    expect(existsSync(home.paths.taskDir(project, id))).toBe(false);
    const tooLong = sampleTask({ summary: 'x'.repeat(20_000) });
    expect(storeIn(home).create(tooLong, [])).toMatchObject({ ok: false });
    expect(existsSync(home.paths.taskDir(project, id))).toBe(false);
  });

  it('ORA-11 loads every task, whatever its status, with no derived file', () => {
    using home = temporaryHome();
    expect(storeIn(home).loadAll()).toEqual({ ok: true, value: [] });
    for (const [index, status] of (['pending', 'done', 'cancelled'] as const).entries()) {
      storeIn(home).create(
        sampleTask({ id: `task${index}`, project: `p${index % 2}`, status }),
        [],
      );
    }
    const tasks = storeIn(home).loadAll();
    expect(tasks).toMatchObject({
      ok: true,
      value: [
        { kind: 'task', record: { fields: { id: 'task0', status: 'pending' } } },
        { kind: 'task', record: { fields: { id: 'task2', status: 'cancelled' } } },
        { kind: 'task', record: { fields: { id: 'task1', status: 'done' } } },
      ],
    });
  });

  it('a bad task never hides another one', () => {
    using home = temporaryHome();
    created(home);
    const bad: Readonly<Record<string, (dir: string) => void>> = {
      b1missing: () => {},
      b2torn: (dir) => writeFileSync(join(dir, 'TASK.md'), '---\nid: b2'),
      b3link: (dir) => symlinkSync(home.paths.taskFile(project, id), join(dir, 'TASK.md')),
      b4fifo: (dir) => execFileSync('mkfifo', [join(dir, 'TASK.md')]),
      b5directory: (dir) => mkdirSync(join(dir, 'TASK.md')),
      b6binary: (dir) => writeFileSync(join(dir, 'TASK.md'), Buffer.from([0xff, 0xfe, 0x2d])),
      b7large: (dir) => writeFileSync(join(dir, 'TASK.md'), 'x'.repeat(300_000)),
      b8other: (dir) => writeFileSync(join(dir, 'TASK.md'), SAMPLE_TEXT),
      'b9 name': (dir) => writeFileSync(join(dir, 'TASK.md'), SAMPLE_TEXT),
    };
    for (const [name, make] of Object.entries(bad)) {
      const dir = join(home.paths.projectTasksDir(project), name);
      mkdirSync(dir);
      make(dir);
    }
    const tasks = storeIn(home).loadAll();
    if (!tasks.ok) throw new Error('nothing was loaded');
    const seen = tasks.value.map((task) =>
      task.kind === 'task' ? [task.record.fields.id, 'fine'] : [task.id, task.diagnostics[0]?.code],
    );
    expect(Object.fromEntries(seen)).toEqual({
      [id]: 'fine',
      b1missing: 'ORA004',
      b2torn: 'ORA011',
      b3link: 'ORA001',
      b4fifo: 'ORA001',
      b5directory: 'ORA001',
      b6binary: 'ORA003',
      b7large: 'ORA002',
      b8other: 'ORA031',
      'b9 name': 'ORA036',
    });
  });

  it.each(['..', '../..', 'a/b', '', '-x', 'a\0'])('F71 knows no task called %j', (name) => {
    using home = temporaryHome();
    const store = storeIn(home);
    expect(store.read(project, name)).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
    expect(store.read(name, id)).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
    expect(store.remove(project, name)).toMatchObject({ ok: false });
    expect(store.write(project, name, () => ({}))).toMatchObject({ ok: false });
  });

  it('writes only what an edit names, and gives back the stamp of what is on disk', () => {
    using home = temporaryHome();
    const file = created(home);
    const stored = storeIn(home).write(project, id, () => ({ fields: { status: 'planning' } }));
    expect(readFileSync(file, 'utf8')).toBe(
      SAMPLE_TEXT.replace('status: pending', 'status: planning'),
    );
    const state = home.files.stat(file);
    if (!stored.ok || !state.ok || state.value.kind !== 'file') throw new Error('not written');
    expect(stored.value.stamp).toEqual(state.value.stamp);
    expect(stored.value.record.fields.status).toBe('planning');
  });

  it('refuses to write over a file it cannot read', () => {
    using home = temporaryHome();
    const file = created(home);
    writeFileSync(file, '---\nstatus: do');
    const result = storeIn(home).write(project, id, () => ({ fields: { status: 'planning' } }));
    expect(result).toMatchObject({ ok: false, failure: { kind: 'file-rejected' } });
    expect(readFileSync(file, 'utf8')).toBe('---\nstatus: do');
  });

  it.each([
    ['in place', (file: string, text: string) => writeFileSync(file, text)],
    [
      'by rename',
      (file: string, text: string) => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      },
    ],
  ])('an agent that saves %s between read and write loses nothing', (_, save) => {
    using home = temporaryHome();
    const file = created(home);
    const files = interrupted(home.files, (n) => {
      if (n > 3) return;
      const text = readFileSync(file, 'utf8');
      save(file, text.replace('Why.', `Why. Note ${n}.`));
    });
    const seen: string[] = [];
    const stored = storeIn(home, files).write(project, id, (current) => {
      seen.push(current.body);
      return { fields: { status: 'planning' } };
    });
    expect(stored).toMatchObject({
      ok: true,
      value: { record: { fields: { status: 'planning' } } },
    });
    expect(seen).toHaveLength(4);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('Why. Note 3. Note 2. Note 1.');
    expect(text).toContain('status: planning');
  });

  it('gives up after five tries against a writer that never stops', () => {
    using home = temporaryHome();
    const file = created(home);
    const files = interrupted(home.files, (n) =>
      writeFileSync(file, `${SAMPLE_TEXT}${'x'.repeat(n)}`),
    );
    expect(
      storeIn(home, files).write(project, id, () => ({ fields: { crash_count: 1 } })),
    ).toMatchObject({ ok: false, failure: { kind: 'io-failed', code: 'EBUSY' } });
    expect(readFileSync(file, 'utf8')).toContain('crash_count: 0');
  });

  it('tells what it replaced, with the text that stood there, by a name that still leads to it', () => {
    using home = temporaryHome();
    const file = created(home);
    const before = readFileSync(file, 'utf8');
    const inode = statSync(file).ino;
    const replaced: ReplacedFile[] = [];
    const store = createTaskStore({ ...home, onReplaced: (each) => void replaced.push(each) });
    store.write(project, id, () => ({ fields: { status: 'planning' } }));
    expect(replaced).toMatchObject([{ project, id, base: before }]);
    expect(statSync(replaced[0]?.path ?? '').ino).toBe(inode);
  });

  it('does not touch a file that says already what is wanted', () => {
    using home = temporaryHome();
    const file = created(home);
    const { ino, mtimeMs } = statSync(file);
    const stored = storeIn(home).write(project, id, ({ fields }) => ({ fields }));
    expect(stored).toMatchObject({ ok: true, value: { stamp: { inode: ino, mtimeMs } } });
  });

  it('stores what an edit takes out before it replaces the file', () => {
    using home = temporaryHome();
    const file = created(home);
    const full: Files = {
      ...home.files,
      replace: (path) => ({
        ok: false,
        failure: { kind: 'io-failed', path, operation: 'replace', code: 'ENOSPC' },
      }),
    };
    const before = readFileSync(file, 'utf8');
    expect(storeIn(home, full).write(project, id, takeOut)).toMatchObject({ ok: false });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(storeIn(home).write(project, id, takeOut)).toMatchObject({ ok: true });
    const kept = join(home.paths.transcriptsDir(project, id), 'taken-out.md');
    expect(readFileSync(kept, 'utf8')).toBe('Why.');
  });

  it('keeps transcripts beside the task, made on first use, with safe names', () => {
    using home = temporaryHome();
    created(home);
    const store = storeIn(home);
    expect(store.writeTranscript({ project, id, name: 'review-1.md', text: 'x' })).toMatchObject({
      ok: true,
    });
    expect(readFileSync(join(home.paths.transcriptsDir(project, id), 'review-1.md'), 'utf8')).toBe(
      'x',
    );
    expect(store.writeTranscript({ project, id, name: '../x', text: '' })).toMatchObject({
      ok: false,
    });
  });

  it('removes a task with everything in it', () => {
    using home = temporaryHome();
    created(home);
    expect(storeIn(home).remove(project, id)).toMatchObject({ ok: true });
    expect(storeIn(home).loadAll()).toEqual({ ok: true, value: [] });
    expect(storeIn(home).load(project, id)).toMatchObject({
      kind: 'unreadable',
      stamp: null,
      diagnostics: [{ code: 'ORA004' }],
    });
    rmSync(home.paths.tasksDir, { recursive: true });
    writeFileSync(home.paths.tasksDir, 'not a directory');
    expect(storeIn(home).loadAll()).toMatchObject({ ok: false, failure: { kind: 'io-failed' } });
  });
});
