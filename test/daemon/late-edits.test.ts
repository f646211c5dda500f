import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LateEdits } from '../../src/daemon/late-edits.js';
import { failed } from '../../src/domain/result.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import { buildTask, TASK_ID } from '../builders/task.js';
import { failingDisk, momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

const fileOf = (home: DaemonHome): string => home.paths.taskFile('shop', TASK_ID);
const textOf = (home: DaemonHome): string => readFileSync(fileOf(home), 'utf8');

/** What orange does while somebody else has the file open. */
function setSummary(home: DaemonHome, summary: string): void {
  const task = home.world.tasks.get(TASK_ID) ?? buildTask();
  const decision = decideUpdate(task, { fields: { summary } });
  expect(home.recorder.record(decision, momentOf(home.clock), null)).toMatchObject({ ok: true });
}

/** A writer that opened the file before orange replaced it. */
function openWriter(home: DaemonHome) {
  const before = textOf(home);
  const fd = openSync(fileOf(home), 'r+');
  return {
    before,
    save(text: string): void {
      ftruncateSync(fd, 0);
      writeSync(fd, text, 0);
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

function pass(home: DaemonHome, ms: number): void {
  for (let passed = 0; passed < ms; passed += 25) {
    home.clock.advance(25);
    home.lateEdits.look();
  }
}

/** The next daemon of the home, as far as it follows files that were replaced. */
function startAnew(home: DaemonHome, projectOf: () => string | null = () => 'shop') {
  home.lateEdits.close();
  const next = new LateEdits({ ...home, writers: null });
  next.attach(home.store, home.take);
  next.recover(projectOf);
  return {
    isIdle: () => next.isIdle,
    pass(ms: number): void {
      for (let passed = 0; passed < ms; passed += 100) {
        home.clock.advance(100);
        next.look();
        // What the next one itself replaces is followed by the first, whose store it has.
        home.lateEdits.look();
      }
    },
    [Symbol.dispose]: () => next.close(),
  };
}

function transcripts(home: DaemonHome): readonly string[] {
  const dir = home.paths.transcriptsDir('shop', TASK_ID);
  return existsSync(dir)
    ? readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'))
    : [];
}

describe('a writer that had TASK.md open when orange replaced it', () => {
  it('finds its words in TASK.md, beside what orange wrote', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save(`${writer.before}\n## Plan\n\nAPPROACH: Try.\n`);
    pass(home, 200);
    expect(textOf(home)).toContain('## Plan\n\nAPPROACH: Try.\n');
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('New');
    expect(home.kept).toEqual([]);
  });

  it('may write slowly, in pieces, and many times', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    const whole = `${writer.before}\n## Plan\n\nAPPROACH: Try.\n\n## Handoff\n\nDONE: All of it.\n`;
    for (let length = 0; length <= whole.length; length += 40) {
      writer.save(whole.slice(0, length));
      pass(home, 2000);
    }
    writer.save(whole);
    pass(home, 12_000);
    expect(textOf(home)).toContain('APPROACH: Try.\n');
    expect(textOf(home)).toContain('DONE: All of it.\n');
    expect(textOf(home)).toContain('## Context\n\nWhy.\n');
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('New');
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('is heard although its text has the same length and time stamp', () => {
    using home = openDaemonHome();
    home.addTask({}, '\n## Context\n\nWhy.\n\n## Notes\n\ncount: 1\n');
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save(writer.before.replace('count: 1', 'count: 2'));
    pass(home, 200);
    expect(textOf(home)).toContain('count: 2\n');
  });

  it('asks for what it wrote into the frontmatter like anybody else, but takes nothing back', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save(
      writer.before
        .replace('status: pending', 'status: working')
        .replace(/summary: .*/, 'summary: Theirs')
        .replace('\n---\n', '\nteam: blue\n---\n'),
    );
    pass(home, 200);
    expect(home.fieldsOnDisk(TASK_ID)).toMatchObject({ status: 'working', summary: 'New' });
    expect(textOf(home)).toContain('\nteam: blue\n');
    expect(home.world.tasks.get(TASK_ID)?.fields.status).toBe('pending');
  });

  it('finds its words among the transcripts where somebody else wrote in the same place', () => {
    using home = openDaemonHome();
    home.addTask({}, '\n## Context\n\nWhy.\n\n## Notes\n\none\n');
    using writer = openWriter(home);
    setSummary(home, 'New');
    writeFileSync(fileOf(home), textOf(home).replace('one', 'the newer file'));
    writer.save(writer.before.replace('one', 'the older file'));
    pass(home, 200);
    expect(textOf(home)).toContain('the newer file');
    expect(transcripts(home).join('')).toContain('the older file');
    expect(home.kept).toMatchObject([{ kind: 'edit-kept', taskId: TASK_ID, sections: ['Notes'] }]);
  });

  it('finds half a file among the transcripts, once nothing more comes', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('---\nid: ');
    pass(home, 9000);
    expect(transcripts(home)).toEqual([]);
    pass(home, 3000);
    expect(transcripts(home)).toEqual(['---\nid: ']);
    expect(home.kept).toHaveLength(1);
  });

  it('that only emptied the file has said nothing', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('');
    pass(home, 12_000);
    expect(transcripts(home)).toEqual([]);
    expect(home.lateEdits.isIdle).toBe(true);
  });

  it('F14 is heard when a full disk has room again', () => {
    let isFull = false;
    using home = openDaemonHome(failingDisk(() => isFull));
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    isFull = true;
    writer.save(`${writer.before}\n## Plan\n\nAPPROACH: Try.\n`);
    pass(home, 60_000);
    expect(textOf(home)).not.toContain('APPROACH');
    isFull = false;
    pass(home, 5000);
    expect(textOf(home)).toContain('APPROACH: Try.\n');
  });

  it('is heard by the next daemon, as far as its words are not there already', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'One');
    setSummary(home, 'Two');
    const late = `${writer.before}\n## Plan\n\nAPPROACH: Try.\n`;
    writer.save(late);
    using next = startAnew(home);
    next.pass(12_000);
    expect(transcripts(home)).toEqual([late]);
    expect(home.kept).toHaveLength(1);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('is heard by the next daemon also when it begins only then', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    using next = startAnew(home);
    next.pass(3000);
    writer.save(`${writer.before}\n## Plan\n\nAPPROACH: Try.\n`);
    next.pass(20_000);
    expect(textOf(home)).toContain('## Plan\n\nAPPROACH: Try.\n');
    expect(home.fieldsOnDisk(TASK_ID).summary).toBe('New');
    expect(transcripts(home)).toEqual([]);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('is heard by the next daemon while its task cannot be loaded', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    using next = startAnew(home, () => null);
    const late = `${writer.before}\n## Plan\n\nAPPROACH: Try.\n`;
    writeFileSync(fileOf(home), 'no task');
    writer.save(late);
    next.pass(12_000);
    expect(transcripts(home)).toEqual([late]);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('is left to a later daemon while nobody can tell whether its task is there', () => {
    let isBroken = false;
    using home = openDaemonHome((files) => ({
      ...files,
      list: (path) =>
        isBroken && path.endsWith('tasks')
          ? failed({ kind: 'io-failed', path, operation: 'list', code: 'EMFILE' })
          : files.list(path),
    }));
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('late');
    isBroken = true;
    using next = startAnew(home, () => null);
    next.pass(12_000);
    expect(readdirSync(home.paths.replacedDir)).toHaveLength(1);
  });

  it('is not waited for by the next daemon when its task is gone', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    home.store.remove('shop', TASK_ID);
    using next = startAnew(home, () => null);
    writer.save('late');
    expect(next.isIdle()).toBe(true);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('that fills more than 16 MiB finds the first of them among the transcripts', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('x'.repeat(17 * 1024 * 1024));
    pass(home, 100);
    expect(transcripts(home)).toEqual(['x'.repeat(16 * 1024 * 1024)]);
    expect(home.kept).toMatchObject([{ kind: 'edit-kept', taskId: TASK_ID }]);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
    expect(home.lateEdits.isIdle).toBe(true);
  });

  it('that fills more than 16 MiB between two daemons finds them there as well', () => {
    using home = openDaemonHome();
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('x'.repeat(17 * 1024 * 1024));
    using next = startAnew(home);
    next.pass(500);
    expect(transcripts(home)).toEqual(['x'.repeat(16 * 1024 * 1024)]);
    expect(home.kept).toHaveLength(1);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  });

  it('F14 that fills more than 16 MiB is waited for until they can be kept', () => {
    let isFull = true;
    using home = openDaemonHome(failingDisk((_, path) => isFull && path.includes('transcripts')));
    home.addTask();
    using writer = openWriter(home);
    setSummary(home, 'New');
    writer.save('x'.repeat(17 * 1024 * 1024));
    pass(home, 100);
    expect(home.lateEdits.isIdle).toBe(false);
    isFull = false;
    pass(home, 4000);
    expect(transcripts(home)).toHaveLength(1);
    expect(home.lateEdits.isIdle).toBe(true);
  });

  it('holds back neither a deleted task nor more files than the limit', () => {
    using home = openDaemonHome();
    home.addTask();
    for (let n = 0; n < 250; n += 1) setSummary(home, `Number ${n}`);
    home.lateEdits.look();
    expect(readdirSync(home.paths.replacedDir).length).toBeLessThanOrEqual(200);
    using writer = openWriter(home);
    setSummary(home, 'Last');
    home.store.remove('shop', TASK_ID);
    writer.save(`${writer.before}\n## Plan\n\nAPPROACH: Try.\n`);
    pass(home, 12_000);
    expect(readdirSync(home.paths.replacedDir)).toEqual([]);
    expect(existsSync(home.paths.taskDir('shop', TASK_ID))).toBe(false);
  });
});
