import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LateEdits } from '../../src/daemon/late-edits.js';
import type { Writers } from '../../src/ports.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { TASK_ID } from '../builders/task.js';
import { openDaemonHome } from './daemon-home.js';

const STEP_MS = 250;

/** A TASK.md that orange replaces while somebody has it open to append to it. */
function givenHeldFile() {
  const home = openDaemonHome();
  home.addTask();
  const questions: (readonly string[])[] = [];
  let answer: 'held' | 'free' | 'unknown' = 'held';
  const writers: Writers = {
    of: async (paths) => {
      questions.push(paths);
      return answer === 'unknown' ? null : new Set(answer === 'held' ? paths : []);
    },
  };
  let late = new LateEdits({ ...home, writers });
  const store = createTaskStore({ ...home, onReplaced: (file) => late.add(file) });
  late.attach(home.store, home.take);
  const path = home.paths.taskFile('shop', TASK_ID);
  const writer = openSync(path, 'a');
  const replace = (summary: string): void => {
    expect(store.write('shop', TASK_ID, () => ({ fields: { summary } })).ok).toBe(true);
  };
  replace('New');
  return {
    home,
    questions,
    replace,
    answer: (next: typeof answer) => {
      answer = next;
    },
    spoil: (text: string): void => {
      for (const name of readdirSync(home.paths.replacedDir)) {
        writeFileSync(join(home.paths.replacedDir, name), text);
      }
    },
    append: (text: string) => void writeSync(writer, text),
    text: () => readFileSync(path, 'utf8'),
    transcripts: () => {
      const directory = home.paths.transcriptsDir('shop', TASK_ID);
      const names = existsSync(directory) ? readdirSync(directory) : [];
      return names.map((name) => readFileSync(join(directory, name), 'utf8'));
    },
    kept: () => readdirSync(home.paths.replacedDir),
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        home.clock.advance(STEP_MS);
        late.look();
        home.lateEdits.look();
        await Promise.resolve();
        await Promise.resolve();
      }
    },
    startAnew: (): void => {
      late.close();
      late = new LateEdits({ ...home, writers });
      late.attach(home.store, home.take);
      late.recover(() => 'shop');
    },
    [Symbol.dispose]: () => {
      closeSync(writer);
      late.close();
      home[Symbol.dispose]();
    },
  };
}

describe('a replaced TASK.md that somebody has open', () => {
  it('F38 is followed for as long as it is, however long nothing comes', async () => {
    using file = givenHeldFile();
    file.append('\n## Handoff\n\nDONE: built\n');
    await file.pass(1000);
    expect(file.text()).toContain('DONE: built\n');
    await file.pass(3_600_000);
    file.append('REMAINING: 3 failures\n');
    await file.pass(61_000);
    expect(file.text()).toContain('## Handoff\n\nDONE: built\nREMAINING: 3 failures\n');
    expect(file.transcripts()).toEqual([]);
    file.answer('free');
    await file.pass(80_000);
    expect(file.kept()).toEqual([]);
  });

  it('F38 is followed by the next daemon as well', async () => {
    using file = givenHeldFile();
    await file.pass(30_000);
    file.startAnew();
    await file.pass(120_000);
    file.append('\n## Handoff\n\nDONE: built\n');
    await file.pass(61_000);
    expect(file.text()).toContain('DONE: built\n');
    expect(file.transcripts()).toEqual([]);
  });

  it('F38 is followed by the next daemon also when it says what TASK.md says by now', async () => {
    using file = givenHeldFile();
    file.append('\n## Handoff\n\nDONE: built\n');
    await file.pass(1000);
    file.startAnew();
    await file.pass(60_000);
    file.append('REMAINING: 3 failures\n');
    await file.pass(61_000);
    expect(file.text()).toContain('DONE: built\nREMAINING: 3 failures\n');
    expect(file.transcripts()).toEqual([]);
  });

  it('is asked about ever less often', async () => {
    using file = givenHeldFile();
    await file.pass(300_000);
    expect(file.questions.length).toBeGreaterThan(4);
    expect(file.questions.length).toBeLessThan(10);
    expect(file.home.log.records.filter(({ event }) => event === 'late-edit.held')).toHaveLength(1);
  });

  it('is asked about together with others, at most once in ten seconds', async () => {
    using file = givenHeldFile();
    file.answer('free');
    for (let second = 0; second < 60; second += 1) {
      file.replace(`Number ${second}`);
      await file.pass(1000);
    }
    await file.pass(20_000);
    expect(file.questions.length).toBeLessThanOrEqual(8);
    expect(file.questions.flat()).toHaveLength(61);
    expect(file.kept()).toEqual([]);
  });

  it('is let go of only when it is known that nobody has it open', async () => {
    using file = givenHeldFile();
    file.answer('unknown');
    await file.pass(60_000);
    expect(file.kept()).toHaveLength(1);
    file.answer('free');
    await file.pass(80_000);
    expect(file.kept()).toEqual([]);
  });

  it('has half a text set aside only after ten minutes', async () => {
    using file = givenHeldFile();
    file.spoil('---\nid: ');
    await file.pass(500_000);
    expect(file.transcripts()).toEqual([]);
    await file.pass(200_000);
    expect(file.transcripts()).toHaveLength(1);
    expect(file.kept()).toHaveLength(1);
  });

  it('makes room for newer ones only after those that nobody has open', async () => {
    using file = givenHeldFile();
    await file.pass(11_000);
    const [held = 'none'] = file.kept();
    for (let n = 0; n < 250; n += 1) file.replace(`Number ${n}`);
    await file.pass(STEP_MS);
    expect(file.kept().length).toBeLessThanOrEqual(200);
    expect(file.kept()).toContain(held);
  });

  it('is not waited for when its task is gone', async () => {
    using file = givenHeldFile();
    file.home.store.remove('shop', TASK_ID);
    await file.pass(12_000);
    expect(file.kept()).toEqual([]);
    expect(file.questions).toEqual([]);
  });
});
