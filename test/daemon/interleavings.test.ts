import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { armFailpoints } from '../../src/domain/failpoint.js';
import type { Result } from '../../src/domain/result.js';
import { parseTaskFile } from '../../src/record/task-file.js';
import { TASK_ID } from '../builders/task.js';
import { succeed } from '../fakes/answer-effect.js';
import { openDaemonHome, type DaemonHome } from './daemon-home.js';

const WORDS = '\n## Handoff\n\nDONE: what the agent wrote\n';
const QUESTION = 'Which colour, asks orange?';

/** How an agent saves; `begin` is before orange starts, `act` amid, `finish` after. */
type Writer = {
  /**
   * Whether it makes its draft and puts it in place in one go. Between two calls of orange that stand
   * next to each other such a save goes under; no call of the system could prevent that.
   */
  readonly isSudden?: boolean;
  begin?(file: string): void;
  act(file: string): void;
  finish?(file: string): void;
};

const saveInPlace = (file: string, text: string): void => writeFileSync(file, text);
const saveByRename = (file: string, text: string): void => {
  const draft = join(dirname(file), 'TASK.md.tmp.1');
  writeFileSync(draft, text);
  renameSync(draft, file);
};

function freshWriter(save: typeof saveInPlace): Writer {
  const act = (file: string): void => save(file, readFileSync(file, 'utf8') + WORDS);
  return { act, isSudden: save === saveByRename };
}

function staleWriter(save: typeof saveInPlace): Writer {
  let read = '';
  return {
    isSudden: save === saveByRename,
    begin: (file) => {
      read = readFileSync(file, 'utf8');
    },
    act: (file) => save(file, read + WORDS),
  };
}

function slowWriter(): Writer {
  let fd = -1;
  let text = '';
  return {
    act: (file) => {
      text = readFileSync(file, 'utf8') + WORDS;
      fd = openSync(file, 'r+');
      ftruncateSync(fd, 0);
      writeSync(fd, text.slice(0, 500));
    },
    finish: () => {
      writeSync(fd, text.slice(500));
      closeSync(fd);
    },
  };
}

function draftWriter(): Writer {
  return {
    begin: (file) =>
      writeFileSync(join(dirname(file), '.draft'), readFileSync(file, 'utf8') + WORDS),
    act: (file) => renameSync(join(dirname(file), '.draft'), file),
  };
}

const WRITERS: readonly (readonly [string, () => Writer])[] = [
  ['in place', () => freshWriter(saveInPlace)],
  ['by rename', () => freshWriter(saveByRename)],
  ['in place, from what it read before', () => staleWriter(saveInPlace)],
  ['by rename, from what it read before', () => staleWriter(saveByRename)],
  ['by renaming a draft that lay there', draftWriter],
  ['slowly, emptying the file first', slowWriter],
  ['by appending', () => ({ act: (file) => appendFileSync(file, WORDS) })],
];

function openLoop(home: DaemonHome): Loop {
  return new Loop({
    ...home,
    execute: async (effect) => succeed(effect),
    look: () => null,
    stuckBecause: () => null,
    newId: () => TASK_ID,
    onSettled: () => undefined,
    onProgress: () => undefined,
    onAnswered: () => undefined,
    stops: { heed: () => undefined, forget: () => undefined },
  });
}

/** Lets time go by as a daemon does, until nothing more comes of it. */
function settle(home: DaemonHome, loop: Loop): void {
  home.lateEdits.attach(home.store, (seen) => loop.take(seen));
  for (let step = 0; step < 40; step += 1) {
    home.clock.advance(500);
    home.lateEdits.look();
    const task = home.world.tasks.get(TASK_ID);
    const seen = task === undefined ? null : home.observer.observe(task, 'changed', 1000);
    if (seen !== null) loop.see(seen);
  }
}

function wordsOf(home: DaemonHome): string {
  const dir = home.paths.transcriptsDir('shop', TASK_ID);
  const kept = existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : [];
  return [home.paths.taskFile('shop', TASK_ID), ...kept]
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** One course: orange writes, and at the n-th step of that the agent saves. False: it never came. */
async function interleave(writer: Writer, n: number): Promise<boolean> {
  using home = openDaemonHome();
  const file = home.paths.taskFile('shop', TASK_ID);
  home.addTask(
    { status: 'working', workspace: 'shop--1', tmux_session: 'shop/dark-mode' },
    '\n## Context\n\nWhy.\n\n## Plan\n\nAPPROACH: Try.\n',
  );
  const loop = openLoop(home);
  writer.begin?.(file);
  let steps = 0;
  armFailpoints((name) => {
    if (writer.isSudden === true && name === 'disk.kept') return;
    steps += 1;
    if (steps === n) writer.act(file);
  });
  const asked: Result<unknown> = await loop.ask(
    { kind: 'task.ask', taskId: TASK_ID, text: QUESTION },
    'human',
  );
  armFailpoints(() => undefined);
  if (steps < n) return false;
  writer.finish?.(file);
  settle(home, loop);
  expect(wordsOf(home)).toContain('DONE: what the agent wrote');
  const text = readFileSync(file, 'utf8');
  expect(text.includes(QUESTION)).toBe(asked.ok);
  const reading = parseTaskFile(text, file);
  expect(reading).toMatchObject({
    ok: true,
    record: { fields: home.world.tasks.get(TASK_ID)?.fields },
  });
  expect(text.match(/^## Context\n\nWhy\.$/gm)).toHaveLength(1);
  expect(readdirSync(home.paths.replacedDir)).toEqual([]);
  expect(home.entries()).toEqual([]);
  return true;
}

describe('an agent that saves TASK.md while orange writes it', () => {
  afterEach(() => armFailpoints(() => undefined));

  it.each(WRITERS)(
    'loses nothing, nor does orange, at any step: %s',
    { timeout: 60_000 },
    async (_, create) => {
      let n = 1;
      while (await interleave(create(), n)) n += 1;
      expect(n).toBeGreaterThan(20);
    },
  );
});
