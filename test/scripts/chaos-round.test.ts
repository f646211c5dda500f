import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Outcome = { readonly struck: boolean; readonly problems: readonly string[] };
type Script = {
  readonly runRound: (course: object, fault: object, how: { mendMs: number }) => Promise<Outcome>;
};
type Limit = {
  readonly recoveryLimitMs: (machine: { load: number; processors: number }) => number;
};

type Foreign = { readonly before: object; readonly look: () => Promise<object> };

/** The commits of the base, and what was pushed of it. */
const BASE_LOOKS = ['log', 'rev-parse'];
const FAULT = { name: 'nothing at all', strike: async () => true };

describe('a round of chaos', () => {
  let folder: string;
  let home: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'or-'));
    home = join(folder, 'home');
    for (const path of ['home/workspaces', 'chaos'])
      mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'chaos', 'blobs'), '');
    writeFileSync(join(home, 'projects.json'), '[]\n', { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A course in an empty home whose daemon is this process, and what each start of it does. */
  function makeCourse({ onStart = () => {}, ownMs = 10, deaths = [] as readonly object[] } = {}) {
    const daemon = {
      isRunning: true,
      pid: process.pid,
      end: async () => void (daemon.isRunning = false),
    };
    return {
      daemon,
      random: { chance: () => false },
      place: {
        home,
        root: folder,
        chaos: join(folder, 'chaos'),
        secret: 'hush',
        base: { tip: null },
        git: async (_at: string, what: string): Promise<string> =>
          BASE_LOOKS.includes(what) ? 'a\n' : '',
        tmux: async () => ({ stdout: '' }),
        foreign: { before: {}, look: async () => ({}) } as Foreign,
      },
      ledger: {
        seen: new Map(),
        answered: new Map(),
        summaries: new Map(),
        mayBeDeleted: new Set(),
      },
      lives: { report: async () => deaths },
      complaints: [] as string[],
      tidy: async () => {},
      settle: async () => null,
      timeRest: async () => ({ unrest: null, restMs: ownMs, ownMs }),
      start: async () => {
        daemon.isRunning = true;
        onStart();
        return true;
      },
    };
  }

  it('is sound when one more start changes nothing', async () => {
    expect(await problemsOf(makeCourse())).toEqual([]);
  });

  it('tries a fault once more that did not strike', async () => {
    let tries = 0;
    const strike = async (): Promise<boolean> => (tries += 1) === 2;
    expect(await problemsOf(makeCourse(), { strike })).toEqual([]);
    expect(tries).toBe(2);
  });

  it('I10 is broken when one more start changes something, though the next would not', async () => {
    let starts = 0;
    const onStart = () => {
      starts += 1;
      if (starts === 1) appendFileSync(join(home, 'projects.json'), '\n');
    };
    const problems = await problemsOf(makeCourse({ onStart }));
    expect(problems).toEqual([expect.stringContaining('I10 one more start: changes projects')]);
    expect(starts).toBe(1);
  });

  it('I10 is broken when orange takes too long to come to rest', async () => {
    const problems = await problemsOf(makeCourse({ ownMs: 60_000 }));
    expect(problems).toEqual([expect.stringContaining('I10 time to rest: 60000 ms of its own')]);
  });

  it('I7 is broken although what is told of it is another thing a little later', async () => {
    let looks = 0;
    const course = makeCourse();
    course.place.foreign = {
      before: { stash: 'as it was' },
      look: async () => ({ stash: `changed ${(looks += 1)}` }),
    };
    const problems = await problemsOf(course);
    expect(problems[0]).toContain('I7 stash: was\nas it was\nis\nchanged 2');
  });

  it('does not count what is mended a little later', async () => {
    let looks = 0;
    const course = makeCourse();
    const look = async () => ({ stash: (looks += 1) === 1 ? 'changed' : 'as it was' });
    course.place.foreign = { before: { stash: 'as it was' }, look };
    expect(await problemsOf(course)).toEqual([]);
  });

  it('lets a start bring a worktree back that was set aside, but the next change nothing', async () => {
    mkdirSync(join(home, 'workspaces', 'shop--1'));
    let starts = 0;
    let lastChange = 1;
    const onStart = () => {
      starts += 1;
      if (starts > lastChange) return;
      writeFileSync(
        join(home, 'workspaces', '.pool.json'),
        `{"workspaces":{}, "start": ${starts}}`,
        { mode: 0o600 },
      );
    };
    const course = makeCourse({ onStart });
    const { home: at, git: sound } = course.place;
    course.place.git = async (_at: string, what: string) =>
      what === 'worktree' ? `worktree ${at}/workspaces/shop--1\n` : sound(at, what);
    expect(await problemsOf(course, { maySetAside: true })).toEqual([]);
    expect(starts).toBe(2);
    lastChange = 9;
    const problems = await problemsOf(course, { maySetAside: true });
    expect(problems).toEqual([expect.stringContaining('I10 one more start: changes pool')]);
    expect((await problemsOf(course)).join()).toContain('I4 shop--1: was set aside');
  });

  it('I3 is broken when a death was recorded of an agent that lived', async () => {
    const deaths = [{ key: 'I3 false death', text: 'I3 false death: of one' }];
    expect(await problemsOf(makeCourse({ deaths }))).toEqual(['I3 false death: of one']);
  });

  it('I10 is broken when the daemon ended by itself, though the next one finds all in place', async () => {
    const course = makeCourse();
    const strike = async (): Promise<boolean> => {
      course.daemon.isRunning = false;
      course.complaints.push('I10 the daemon: ended by itself');
      return true;
    };
    expect(await problemsOf(course, { strike })).toEqual(['I10 the daemon: ended by itself']);
    course.start = async () => false;
    const problems = await problemsOf(course, { strike });
    expect(problems).toContain('I10 the daemon: ended by itself');
    expect(problems).toContainEqual(expect.stringContaining('does not start'));
  });

  it('has five seconds to recover, and more only where processes wait for a processor', async () => {
    const { recoveryLimitMs } = await loadScript<Limit>('../chaos/recovery-limit');
    expect(recoveryLimitMs({ load: 0.2, processors: 2 })).toBe(5000);
    expect(recoveryLimitMs({ load: 3, processors: 2 })).toBe(7500);
    expect(recoveryLimitMs({ load: 90, processors: 2 })).toBe(10_000);
  });
});

async function problemsOf(course: object, more = {}): Promise<readonly string[]> {
  const { runRound } = await loadScript<Script>('../chaos/round');
  const { problems } = await runRound(course, { ...FAULT, ...more }, { mendMs: 1 });
  // This process is no daemon, and may well have more memory than one.
  return problems.filter((text) => !text.startsWith('I9 '));
}
