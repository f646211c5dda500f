import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LinkKeeper } from '../../src/daemon/link-keeper.js';
import { failed } from '../../src/domain/result.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import type { Files } from '../../src/ports.js';
import { buildTaskIn } from '../builders/task.js';
import { momentOf, openDaemonHome } from './daemon-home.js';

const SETTLE_MS = 100;
const BODY = '\n## Context\n\nWhy.\n\n## Notes\n\none\ntwo\n';
const HANDOFF = '\n## Handoff\n\nDONE: All of it.\n';

/** A task with a file that both sides write: in its place, and as a copy that waits in the worktree. */
function givenBothSides(spoil: (files: Files) => Files = (files) => files) {
  const home = openDaemonHome(spoil);
  const { files, paths, clock, observer } = home;
  const { id } = home.addTask({ workspace: 'shop--1' }, BODY).fields;
  files.makeDirectory(paths.workspace('shop--1'));
  const link = join(paths.workspace('shop--1'), 'TASK.md');
  const target = paths.taskFile('shop', id);
  const world = () => home.world.tasks.get(id) ?? buildTaskIn('pending');
  let keeper = new LinkKeeper({ ...home, onKept: home.take });
  const made = Date.now() / 1000 - 60;
  utimesSync(target, made, made);
  const texts = (): readonly string[] => {
    const directory = paths.transcriptsDir('shop', id);
    const names = existsSync(directory) ? readdirSync(directory) : [];
    return names.map((name) => readFileSync(join(directory, name), 'utf8'));
  };
  return {
    home,
    id,
    target,
    texts,
    read: () => readFileSync(target, 'utf8'),
    /** Saves a copy by rename, some seconds after the file was made or before now. */
    save: (change: (text: string) => string, agoMs = 30_000): string => {
      const text = change(readFileSync(existsSync(link) ? link : target, 'utf8'));
      rmSync(link, { force: true });
      writeFileSync(link, text);
      const atSeconds = (Date.now() - agoMs) / 1000;
      utimesSync(link, atSeconds, atSeconds);
      return text;
    },
    /** The task's own file is read, as the daemon does when it has changed. */
    observe: () => home.observer.observe(world(), 'changed', SETTLE_MS),
    lookAfter: (ms: number) => {
      clock.advance(ms);
      return keeper.mend(world(), 'changed', SETTLE_MS);
    },
    settle: (): void => {
      for (let look = 0; look < 5; look += 1) {
        clock.advance(SETTLE_MS);
        keeper.mend(world(), 'changed', SETTLE_MS);
      }
      const state = files.stat(link);
      expect(state).toMatchObject({ ok: true, value: { kind: 'link' } });
    },
    /** The daemon is killed, and the next one knows what is on disk alone. */
    startAnew: (): void => {
      observer.forget(id);
      keeper = new LinkKeeper({ ...home, onKept: home.take });
    },
    origins: () => (existsSync(paths.copyOriginsDir) ? readdirSync(paths.copyOriginsDir) : []),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('words written into TASK.md while a copy waits to be taken over', () => {
  it('F36 stay, beside what the copy says and leaves out', () => {
    using both = givenBothSides();
    both.save((text) => text.replace('Why.', 'Why not.').replace('one\n', ''));
    both.lookAfter(0);
    appendFileSync(both.target, HANDOFF);
    both.settle();
    expect(both.read()).toContain(`## Context\n\nWhy not.\n\n## Notes\n\ntwo\n${HANDOFF}`);
    expect([both.texts(), both.origins()]).toEqual([[], []]);
  });

  it('F36 stay when the copy is saved again meanwhile, from what it said before', () => {
    using both = givenBothSides();
    both.save((text) => text.replace('Why.', 'Why not.'), 30_000);
    both.lookAfter(0);
    appendFileSync(both.target, HANDOFF);
    utimesSync(both.target, Date.now() / 1000 - 20, Date.now() / 1000 - 20);
    both.save((text) => text.replace('one', 'three'), 10_000);
    both.settle();
    for (const words of ['Why not.', 'three\ntwo', HANDOFF]) expect(both.read()).toContain(words);
  });

  it('F36 stay when they are there before anybody has seen the copy', () => {
    using both = givenBothSides();
    both.observe();
    both.save((text) => text.replace('Why.', 'Why not.'));
    appendFileSync(both.target, HANDOFF);
    both.settle();
    for (const words of ['Why not.', HANDOFF]) expect(both.read()).toContain(words);
    expect(both.texts()).toEqual([]);
  });

  it('F36 are kept where the copy says something else in the same place', () => {
    using both = givenBothSides();
    both.save((text) => text.replace('one', 'of the agent'));
    both.lookAfter(0);
    writeFileSync(both.target, both.read().replace('one', 'of the human') + HANDOFF);
    both.settle();
    for (const words of ['of the agent', HANDOFF]) expect(both.read()).toContain(words);
    expect(both.texts()).toEqual(['## Notes\n\nof the human\ntwo\n']);
    expect(both.home.kept).toHaveLength(1);
    expect(both.home.events(both.id).filter(({ type }) => type === 'edit.kept')).toHaveLength(1);
  });

  it('F36 are kept whole when nobody knows what the copy was made from', () => {
    using both = givenBothSides();
    const copy = both.save((text) => text.replace('Why.', 'Why not.'));
    appendFileSync(both.target, HANDOFF);
    const file = both.read();
    both.settle();
    expect(both.read()).toBe(copy);
    expect(both.texts()).toEqual([file]);
    expect(both.home.kept).toHaveLength(1);
  });

  it('F36 are kept when they are no longer a task’s file', () => {
    using both = givenBothSides();
    const copy = both.save((text) => text.replace('Why.', 'Why not.'));
    both.lookAfter(0);
    writeFileSync(both.target, 'half a file');
    both.settle();
    expect(both.read()).toBe(copy);
    expect(both.texts()).toEqual(['half a file']);
  });

  it.each(['before', 'after'])(
    'F1 F36 stay when the daemon is killed %s it took the copy over',
    (when) => {
      let isRefused = true;
      using both = givenBothSides((files) => ({
        ...files,
        linkIfUnchanged: (path, ...rest) =>
          isRefused
            ? failed({ kind: 'io-failed', path, operation: 'link', code: 'EIO' })
            : files.linkIfUnchanged(path, ...rest),
      }));
      both.save((text) => text.replace('Why.', 'Why not.').replace('one\n', ''));
      both.lookAfter(0);
      appendFileSync(both.target, HANDOFF);
      if (when === 'after') both.lookAfter(SETTLE_MS);
      isRefused = false;
      both.startAnew();
      both.save((text) => text.replace('two', 'three'), 0);
      both.settle();
      expect(both.read()).toContain(`## Context\n\nWhy not.\n\n## Notes\n\nthree\n${HANDOFF}`);
      expect([both.texts(), both.origins()]).toEqual([[], []]);
    },
  );

  it('F36 ask for what they say in the frontmatter, as the copy does', () => {
    using both = givenBothSides();
    both.save((text) => text.replace('status: pending', 'status: planning'));
    both.lookAfter(0);
    writeFileSync(both.target, both.read().replace(/summary: .*/, 'summary: Theirs'));
    both.settle();
    expect(both.home.fieldsOnDisk(both.id)).toMatchObject({
      status: 'planning',
      summary: 'Theirs',
    });
  });

  it('that are orange’s own are left to those who put them back', () => {
    using both = givenBothSides();
    const copy = both.save((text) => text.replace('Why.', 'Why not.'));
    both.lookAfter(0);
    const change = decideUpdate(both.home.world.tasks.get(both.id) ?? buildTaskIn('pending'), {
      fields: { summary: 'New' },
      sections: [{ kind: 'append', section: 'Questions', label: '', text: 'What now?' }],
    });
    expect(both.home.recorder.record(change, momentOf(both.home.clock), null).ok).toBe(true);
    both.settle();
    expect(both.read()).toBe(copy);
    expect(both.texts()).toEqual([]);
  });
});

describe('a copy beside which nobody else wrote', () => {
  it.each(['seen', 'unseen'])(
    'F36 is taken over byte for byte (what it was made from: %s)',
    (how) => {
      using both = givenBothSides();
      if (how === 'seen') both.observe();
      const copy = both.save((text) =>
        text.replace(/\n## Notes[^]*/, '  \n').replace('Why.', 'No.'),
      );
      both.settle();
      expect(both.read()).toBe(copy);
      expect(both.texts()).toEqual([]);
    },
  );
});
