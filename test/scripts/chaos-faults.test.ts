import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Fault = { readonly name: string; strike(course: object): Promise<boolean | string> };

const FIRST = { chance: () => false, pick: <T>(list: readonly T[]): T | undefined => list[0] };
const places: string[] = [];

/** A course with one task that rests; `settle` gives those that live afterwards. */
function makeCourse(settle: () => readonly { readonly id: string }[]) {
  const home = mkdtempSync(join(tmpdir(), 'oc-fault-'));
  places.push(home);
  const file = join(home, 'tasks', 'shop', 'one', 'TASK.md');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'as it was');
  const asked: unknown[] = [];
  const course = {
    place: { home },
    ledger: { forgetSummaries: () => {} },
    random: FIRST,
    living: [{ id: 'one' }] as readonly { readonly id: string }[],
    taskIn: async () => 'one',
    settle: async () => void (course.living = settle()),
    ask: async (request: unknown) => void asked.push(request),
  };
  return { course, file, asked };
}

async function faultNamed(wanted: string): Promise<Fault> {
  const { allFaults } = await loadScript<{ allFaults: () => readonly Fault[] }>(
    '../chaos/faults/list',
  );
  const fault = allFaults().find(({ name }) => name === wanted);
  if (fault === undefined) throw new Error(`no such fault: ${wanted}`);
  return fault;
}

const givenUp = () => faultNamed('broken TASK.md, given up');

describe('the fault of a broken TASK.md', () => {
  afterEach(() => {
    for (const place of places.splice(0)) rmSync(place, { recursive: true });
  });

  it('spoils the file of a task that rests, and gives the task up', async () => {
    const { course, file, asked } = makeCourse(() => [{ id: 'one' }]);
    expect(await (await givenUp()).strike(course)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(asked).toEqual([{ kind: 'task.cancel', taskId: 'one', reason: null }]);
  });

  it('leaves a task alone that has ended meanwhile, whose file nobody would put right', async () => {
    const { course, file, asked } = makeCourse(() => []);
    expect(await (await givenUp()).strike(course)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('as it was');
    expect(asked).toEqual([]);
  });
});

const homeOf = () => {
  const home = mkdtempSync(join(tmpdir(), 'oc-fault-'));
  places.push(home);
  return home;
};
const calm = {
  random: { ...FIRST, shuffle: <T>(list: readonly T[]) => list, below: () => 0 },
  living: [],
  tasks: [],
  liveTask: async () => null,
  makeRoom: async () => {},
  create: async () => ({}),
  ask: async () => ({}),
  patienceMs: 10_000,
};
const createOne = async () => ({ result: { task: { fields: { id: 'one' } } } });
const answerGone = async () => ({ code: 0, stdout: '999999999' });

describe('whether a fault has struck', () => {
  afterEach(() => {
    for (const place of places.splice(0)) rmSync(place, { recursive: true });
  });

  it('is no for an agent that was cancelled before it came up', async () => {
    const place = { home: homeOf() };
    const course = { ...calm, place, create: createOne, ask: async () => ({ result: {} }) };
    const unruly = await faultNamed('stubborn agent is cancelled');
    expect(await unruly.strike({ ...course, patienceMs: 10 })).toBe(false);
    const env = { ORANGE_HOME: place.home, ORANGE_TASK_ID: 'one', ORANGE_LAUNCH_ID: 'x' };
    const agent = spawn('sleep', ['60'], { env, stdio: 'ignore' });
    try {
      expect(await unruly.strike(course)).toBe(true);
      const refused = { ...course, ask: async () => ({ failure: { kind: 'busy' } }) };
      expect(await unruly.strike(refused)).toBe(false);
    } finally {
      agent.kill('SIGKILL');
    }
  });

  it('is no for a socket of tmux that is not there', async () => {
    const tmuxSocket = join(homeOf(), 'tmux.sock');
    const course = { ...calm, place: { home: homeOf(), chaos: '/x', tmuxSocket } };
    const deleted = await faultNamed('tmux socket deleted');
    expect(await deleted.strike(course)).toBe(false);
    writeFileSync(tmuxSocket, '');
    expect(await deleted.strike(course)).toBe(true);
  });

  it('is no for a signal to a server that has gone', async () => {
    const course = { ...calm, place: { home: homeOf(), chaos: '/x', tmux: answerGone } };
    expect(await (await faultNamed('tmux server killed')).strike(course)).toBe(false);
  });

  it.runIf(mayLimitInotify())(
    'is what the daemon says of itself where it has no inotify',
    async () => {
      const course = { ...calm, start: async () => true, patienceMs: 10 };
      const fault = await faultNamed('no inotify');
      expect(await fault.strike({ ...course, daemon: sayFiles('watching') })).toBe(false);
      expect(await fault.strike({ ...course, daemon: { ...sayFiles(''), client: null } })).toBe(
        false,
      );
      expect(await fault.strike({ ...course, daemon: sayFiles('broken') })).toBe(true);
    },
  );

  it('is a reason where the machine does not allow it', async () => {
    const course = { ...calm, place: { home: homeOf(), isSmall: false } };
    expect(await (await faultNamed('disk full')).strike(course)).toBe(
      'needs leave to mount a disk',
    );
  });
});

/** A daemon that says in what state its watching of files is. */
function sayFiles(state: string) {
  const status = { result: { sources: { files: { state } } } };
  return { end: async () => {}, client: { call: async () => status } };
}

/** Whether a process here may have a limit of its own, in a user namespace. */
function mayLimitInotify(): boolean {
  const limit = 'echo 0 > /proc/sys/user/max_inotify_instances';
  return spawnSync('unshare', ['--user', '--map-root-user', 'sh', '-c', limit]).status === 0;
}
