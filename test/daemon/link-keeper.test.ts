import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LinkKeeper } from '../../src/daemon/link-keeper.js';
import type { Activity } from '../../src/domain/world.js';
import type { Look } from '../../src/observe/task-file-observer.js';
import { failed } from '../../src/domain/result.js';
import { buildTaskIn } from '../builders/task.js';
import type { Observation } from '../../src/domain/observation.js';
import type { Files } from '../../src/ports.js';
import { failingDisk, openDaemonHome } from './daemon-home.js';

it.each<[string, Activity | null, string | null, string]>([
  ['is put into a worktree that lacks it', null, '.git', 'link'],
  ['is left to the start that makes the worktree', 'starting', '.git', 'absent'],
  ['is not put into one that is being freed', 'releasing', '.git', 'absent'],
  ['F46 is not put into one that is being deleted', null, null, 'absent'],
])('the link to TASK.md %s', (_, activity, pointer, kind) => {
  using home = openDaemonHome();
  const { files, paths } = home;
  const task = buildTaskIn('working', { activity, fields: { workspace: 'shop--1' } });
  files.makeDirectory(paths.workspace('shop--1'));
  if (pointer !== null) files.replace(join(paths.workspace('shop--1'), pointer), 'gitdir: x\n');
  new LinkKeeper({ ...home, onKept: () => undefined }).mend(task, 'changed', 0);
  const state = files.stat(join(paths.workspace('shop--1'), 'TASK.md'));
  expect(state).toMatchObject({ ok: true, value: { kind } });
});

const SETTLE_MS = 100;
const FOREIGN = '---\nid: another\n---\n\n## Plan\n\nAPPROACH: of another\n';

/** A task whose worktree has a file of its own in the place of the link. */
function givenCopy(content: string | Buffer, activity: Activity | null = null) {
  const home = openDaemonHome();
  const { files, paths, clock } = home;
  const fields = { workspace: 'shop--1' };
  let task = { ...home.addTask(fields), activity };
  files.makeDirectory(paths.workspace('shop--1'));
  const link = join(paths.workspace('shop--1'), 'TASK.md');
  writeFileSync(link, content);
  const told: string[] = [];
  const onKept = (kept: Extract<Observation, { kind: 'edit-kept' }>): void => {
    told.push(kept.transcript);
  };
  const keeper = new LinkKeeper({ ...home, onKept });
  const { project, id } = task.fields;
  return {
    told,
    link,
    transcript: (name: string) => join(paths.transcriptsDir(project, id), name),
    /** Looks again after a while; true while it is to be looked at once more. */
    lookAfter: (ms: number, look: Look = 'changed'): boolean => {
      clock.advance(ms);
      return keeper.mend(task, look, SETTLE_MS) !== null;
    },
    /** Looks now, with a settling time; gives when it is to be looked at once more. */
    againInMs: (settleMs: number) => keeper.mend(task, 'changed', settleMs),
    record: (keptEdit: string) => {
      task = { ...task, keptEdit };
    },
    isLinked: () => {
      const state = files.stat(link);
      return state.ok && state.value.kind === 'link';
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

it('F17 a copy that cannot be taken over for want of descriptors is, as soon as there are some', () => {
  let isShort = true;
  using home = openDaemonHome((files) => ({
    ...files,
    replaceIfUnchanged: (path, ...rest) =>
      isShort
        ? failed({ kind: 'io-failed', path, operation: 'replace', code: 'EMFILE' })
        : files.replaceIfUnchanged(path, ...rest),
  }));
  const { files, paths, clock } = home;
  const task = home.addTask({ workspace: 'shop--1' });
  files.makeDirectory(paths.workspace('shop--1'));
  const link = join(paths.workspace('shop--1'), 'TASK.md');
  const target = paths.taskFile('shop', task.fields.id);
  writeFileSync(link, `${readFileSync(target, 'utf8')}\n## Plan\n\nAPPROACH: mine\n`);
  const keeper = new LinkKeeper({ ...home, onKept: () => undefined });
  const lookAfter = (ms: number): boolean => {
    clock.advance(ms);
    return keeper.mend(task, 'changed', SETTLE_MS) !== null;
  };
  lookAfter(0);
  expect([lookAfter(SETTLE_MS), lookAfter(SETTLE_MS)]).toEqual([true, true]);
  expect(readFileSync(target, 'utf8')).not.toContain('mine');
  isShort = false;
  expect(lookAfter(SETTLE_MS)).toBe(false);
  expect(readFileSync(target, 'utf8')).toContain('APPROACH: mine');
  expect(files.stat(link)).toMatchObject({ value: { kind: 'link' } });
});

/** A copy of the task's own file, saved by an agent, over which the disk may have its own will. */
function givenSavedCopy(spoil: (files: Files) => Files = (files) => files) {
  const home = openDaemonHome(spoil);
  const { files, paths, clock } = home;
  let task = home.addTask({ workspace: 'shop--1' });
  files.makeDirectory(paths.workspace('shop--1'));
  const link = join(paths.workspace('shop--1'), 'TASK.md');
  const target = paths.taskFile('shop', task.fields.id);
  const saved = `${readFileSync(target, 'utf8')}\n## Plan\n\nAPPROACH: mine\n`;
  writeFileSync(link, saved);
  const told: string[] = [];
  const onKept = (kept: Extract<Observation, { kind: 'edit-kept' }>): void => {
    told.push(kept.transcript);
    task = { ...task, keptEdit: kept.transcript };
  };
  const keeper = new LinkKeeper({ ...home, onKept });
  return {
    target,
    link,
    saved,
    told,
    transcript: (name: string) => join(paths.transcriptsDir('shop', task.fields.id), name),
    /** Looks again after a while; tells after how long it is to be looked at once more. */
    lookAfter: (ms: number, settleMs = SETTLE_MS) => {
      clock.advance(ms);
      return keeper.mend(task, 'changed', settleMs);
    },
    isLinked: () => {
      const state = files.stat(link);
      return state.ok && state.value.kind === 'link';
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('a copy that was taken over and cannot be made a link', () => {
  it('F17 is taken over once: what is written into TASK.md since stays', () => {
    let refusals = 0;
    using copy = givenSavedCopy((files) => ({
      ...files,
      linkIfUnchanged: (path, ...rest) => {
        refusals += 1;
        return refusals <= 3
          ? failed({ kind: 'io-failed', path, operation: 'link', code: 'EACCES' })
          : files.linkIfUnchanged(path, ...rest);
      },
    }));
    copy.lookAfter(0);
    copy.lookAfter(SETTLE_MS);
    expect(readFileSync(copy.target, 'utf8')).toBe(copy.saved);
    appendFileSync(copy.target, '\n## Handoff\n\nDONE: All of it.\n');
    const { ino } = statSync(copy.target);
    for (let look = 0; look < 3; look += 1) copy.lookAfter(5000);
    expect(refusals).toBe(4);
    expect(copy.isLinked()).toBe(true);
    expect(readFileSync(copy.target, 'utf8')).toContain('DONE: All of it.\n');
    expect(statSync(copy.target).ino).toBe(ino);
  });

  it('F17 is taken over again when it was saved again', () => {
    let isRefused = true;
    using copy = givenSavedCopy((files) => ({
      ...files,
      linkIfUnchanged: (path, ...rest) =>
        isRefused
          ? failed({ kind: 'io-failed', path, operation: 'link', code: 'EIO' })
          : files.linkIfUnchanged(path, ...rest),
    }));
    copy.lookAfter(0);
    copy.lookAfter(SETTLE_MS);
    writeFileSync(copy.link, copy.saved.replace('mine', 'another'));
    copy.lookAfter(1000);
    isRefused = false;
    expect(copy.lookAfter(1000)).toBeNull();
    expect(readFileSync(copy.target, 'utf8')).toContain('APPROACH: another');
  });

  it('F17 is tried again no more often than once a second', () => {
    using copy = givenSavedCopy((files) => ({
      ...files,
      linkIfUnchanged: (path) =>
        failed({ kind: 'io-failed', path, operation: 'link', code: 'EACCES' }),
    }));
    expect(copy.lookAfter(0, 0)).toBe(1000);
    expect(copy.lookAfter(1000, 0)).toBe(1000);
    copy.lookAfter(1000, 5000);
    expect(copy.lookAfter(5000, 5000)).toBe(5000);
  });

  it('is looked at no more often while the history cannot name what was kept', () => {
    using copy = givenCopy(FOREIGN);
    expect(copy.againInMs(0)).toBe(0);
    expect(copy.againInMs(0)).toBe(1000);
    expect(copy.told).toHaveLength(1);
  });

  it('replaces nothing that says the same', () => {
    using copy = givenSavedCopy();
    writeFileSync(copy.target, copy.saved);
    const { ino } = statSync(copy.target);
    copy.lookAfter(0);
    expect(copy.lookAfter(SETTLE_MS)).toBeNull();
    expect(copy.isLinked()).toBe(true);
    expect(statSync(copy.target).ino).toBe(ino);
  });
});

describe('a copy that takes the place of a TASK.md that is too large', () => {
  it.each([
    ['is kept whole', 300 * 1024, 300 * 1024],
    ['is kept with its first 16 MiB', 20 * 1024 * 1024, 16 * 1024 * 1024],
  ])('F36 finds that it %s', (_, written, kept) => {
    using copy = givenSavedCopy();
    writeFileSync(copy.target, 'x'.repeat(written));
    for (let look = 0; look < 3; look += 1) copy.lookAfter(SETTLE_MS);
    expect(copy.told).toHaveLength(1);
    const [name = 'none'] = copy.told;
    expect(name).toMatch(/^unreadable-.+\.md$/);
    expect(readFileSync(copy.transcript(name), 'utf8')).toBe('x'.repeat(kept));
    expect(readFileSync(copy.target, 'utf8')).toBe(copy.saved);
    expect(copy.isLinked()).toBe(true);
  });

  it('F36 waits while that cannot be kept', () => {
    let isFull = true;
    using copy = givenSavedCopy(failingDisk((_, path) => isFull && path.includes('transcripts')));
    const long = 'x'.repeat(300 * 1024);
    writeFileSync(copy.target, long);
    for (let look = 0; look < 3; look += 1) copy.lookAfter(SETTLE_MS);
    expect(readFileSync(copy.target, 'utf8')).toBe(long);
    isFull = false;
    for (let look = 0; look < 2; look += 1) copy.lookAfter(1000);
    expect(readFileSync(copy.target, 'utf8')).toBe(copy.saved);
  });

  it('takes the place of one that is gone', () => {
    using copy = givenSavedCopy();
    rmSync(copy.target);
    for (let look = 0; look < 2; look += 1) copy.lookAfter(SETTLE_MS);
    expect(readFileSync(copy.target, 'utf8')).toBe(copy.saved);
    expect(copy.told).toEqual([]);
  });
});

describe('a file in the place of the link that is not the task’s', () => {
  it('F36 is kept once it is quiet, and gives way to the link once the history names it', () => {
    using copy = givenCopy(FOREIGN);
    expect(copy.lookAfter(0)).toBe(true);
    expect(copy.lookAfter(SETTLE_MS)).toBe(true);
    const [name = 'none'] = copy.told;
    expect(readFileSync(copy.transcript(name), 'utf8')).toBe(FOREIGN);
    expect(copy.lookAfter(SETTLE_MS)).toBe(true);
    expect(copy.told).toEqual([name]);
    expect(copy.isLinked()).toBe(false);
    copy.record(name);
    expect(copy.lookAfter(SETTLE_MS)).toBe(false);
    expect(copy.isLinked()).toBe(true);
  });

  it('F36 is told of again while the history does not name it', () => {
    using copy = givenCopy(FOREIGN);
    for (const ms of [0, SETTLE_MS, 3000]) copy.lookAfter(ms);
    expect(copy.told).toHaveLength(2);
  });

  it.each<Look>(['now', 'final'])('F36 has its time to be written (look: %s)', (look) => {
    using copy = givenCopy('---\nid: ');
    expect(copy.lookAfter(0, look)).toBe(true);
    writeFileSync(copy.link, FOREIGN);
    expect(copy.lookAfter(SETTLE_MS, look)).toBe(true);
    expect(copy.told).toEqual([]);
    copy.lookAfter(SETTLE_MS, look);
    expect(copy.told).toHaveLength(1);
  });

  it('F36 gives way to the link at once when it is empty', () => {
    using copy = givenCopy('\n');
    copy.lookAfter(0);
    expect(copy.lookAfter(SETTLE_MS)).toBe(false);
    expect(copy.isLinked()).toBe(true);
    expect(copy.told).toEqual([]);
  });

  it.each<[string, string | Buffer, Activity | null]>([
    ['it is too large', FOREIGN + 'x'.repeat(300 * 1024), null],
    ['it is no text', Buffer.from([0xff, 0xfe, 0x41]), null],
    ['its agent is being started', FOREIGN, 'starting'],
  ])('F36 stays where it is when %s', (_, content, activity) => {
    using copy = givenCopy(content, activity);
    copy.lookAfter(0);
    expect(copy.lookAfter(SETTLE_MS)).toBe(false);
    expect(copy.isLinked()).toBe(false);
    expect(existsSync(copy.link)).toBe(true);
    expect(copy.told).toEqual([]);
  });
});
