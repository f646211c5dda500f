import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HomeLock } from '../../src/daemon/home-lock.js';
import { acquireHomeLock } from '../../src/daemon/home-lock.js';

const workshop = mkdtempSync(join(tmpdir(), 'or-lock-'));
const script = join(workshop, 'contender.mjs');
const children: ChildProcess[] = [];
/** Sixty in every run; the long proof sets more. */
const ROUNDS = Number(process.env['ORANGE_RACES'] ?? 60);
/** How often an owner is killed or stopped first: twenty times, and a fifth as often as the rest. */
const OWNERS = Math.max(20, Math.ceil(ROUNDS / 5));
let homes = 0;

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, '../fixtures/lock-contender.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    banner: {
      js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);",
    },
  });
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

type Contender = {
  readonly pid: number;
  readonly child: ChildProcess;
  ask(kind: 'acquire' | 'release' | 'check', home: string): Promise<Record<string, unknown>>;
  end(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
};

function startContender(): Contender {
  const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  return {
    pid: child.pid ?? 0,
    child,
    ask: async (kind, home) =>
      new Promise((resolve, reject) => {
        child.once('message', (answer) => resolve(asRecord(answer)));
        child.send({ kind, home }, (error) => (error === null ? undefined : reject(error)));
      }),
    end: async (signal) =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill(signal);
      }),
    stop: async () => {
      child.kill('SIGSTOP');
      await vi.waitFor(() =>
        expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toMatch(/\) T /),
      );
    },
  };
}

function newHome(): string {
  homes += 1;
  const home = join(workshop, `h${homes}`);
  mkdirSync(join(home, 'run'), { recursive: true });
  return home;
}

/** Leaves a home as an owner would that is no more. */
function leaveOwner(home: string, facts: Record<string, unknown>, generation = 7): void {
  const numbered = join(home, 'run', `lock.owner.${generation}`);
  const record = {
    pid: 1,
    start_time: '1',
    boot_id: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: 'pid:[1]',
    host: hostname(),
    nonce: 'old',
    generation,
    released: false,
    ...facts,
  };
  writeFileSync(numbered, JSON.stringify(record));
  linkSync(numbered, join(home, 'run', 'lock.owner.json'));
  mkdirSync(join(home, 'run', 'lock'));
}

/** Filled from a lock of this very process. */
let namespaceHere = '';

function readOwner(home: string): Record<string, unknown> {
  return asRecord(JSON.parse(readFileSync(join(home, 'run', 'lock.owner.json'), 'utf8')));
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : { value };
}

async function acquireHere(
  home: string,
  onLost = (_reason: string): void => undefined,
  onRegained = (): void => undefined,
) {
  const runDirectory = join(home, 'run');
  return acquireHomeLock({ home, runDirectory, pid: process.pid, onLost, onRegained });
}

async function mustAcquire(home: string, onLost?: (reason: string) => void): Promise<HomeLock> {
  const acquired = await acquireHere(home, onLost);
  if (!acquired.ok) throw new Error(JSON.stringify(acquired.failure));
  return acquired.value;
}

beforeAll(async () => {
  const home = newHome();
  await mustAcquire(home);
  namespaceHere = String(readOwner(home)['namespace']);
});

async function race(prepare: (home: string) => void, rounds: number): Promise<void> {
  const contenders = [startContender(), startContender(), startContender()];
  for (let round = 0; round < rounds; round += 1) {
    const home = newHome();
    prepare(home);
    const answers = await Promise.all(contenders.map(async (one) => one.ask('acquire', home)));
    const winner = answers.findIndex((answer) => 'generation' in answer);
    expect(answers.filter((answer) => 'generation' in answer)).toHaveLength(1);
    const losers = answers.filter((answer) => answer['kind'] === 'home-locked');
    expect(losers.map((loser) => loser['pid'])).toEqual(
      Array.from({ length: 2 }, () => contenders[winner]?.pid),
    );
    const held = await Promise.all(contenders.map(async (one) => one.ask('check', home)));
    expect(held.filter((answer) => answer['isHeld'] === true)).toHaveLength(1);
    await contenders[winner]?.ask('release', home);
    rmSync(home, { recursive: true });
  }
}

describe('G6 F23 three at once', { timeout: 1000 * (ROUNDS + OWNERS) }, () => {
  it('in a new home: exactly one holder, and the others know its pid', async () => {
    await race(() => undefined, ROUNDS);
  });

  it('after a dead owner: exactly one holder', async () => {
    await race((home) => leaveOwner(home, { pid: 4_000_000, namespace: namespaceHere }), ROUNDS);
  });

  it('after an owner that let go: exactly one holder', async () => {
    await race((home) => leaveOwner(home, { pid: process.pid, released: true }), ROUNDS);
  });

  it('for a home whose owner is killed at that moment: the next one without waiting', async () => {
    const home = newHome();
    const contenders = [startContender(), startContender(), startContender()];
    for (let round = 0; round < OWNERS; round += 1) {
      const owner = startContender();
      expect(await owner.ask('acquire', home)).toHaveProperty('generation');
      await owner.end('SIGKILL');
      // Waiting for the lock to grow stale would take 9 s in each round, more than a test may.
      const answers = await Promise.all(contenders.map(async (one) => one.ask('acquire', home)));
      expect(answers.filter((answer) => 'generation' in answer)).toHaveLength(1);
      await Promise.all(contenders.map(async (one) => one.ask('release', home)));
    }
  });

  it('F9 for a home whose owner is stopped, however stale its lock looks: nobody but the owner', async () => {
    const contenders = [startContender(), startContender(), startContender()];
    const owner = startContender();
    for (let round = 0; round < OWNERS; round += 1) {
      const home = newHome();
      await owner.ask('acquire', home);
      await owner.stop();
      for (const sign of ['lock', 'lock.owner.1']) {
        utimesSync(join(home, 'run', sign), new Date(0), new Date(0));
      }
      const answers = await Promise.all(contenders.map(async (one) => one.ask('acquire', home)));
      const refusal = { kind: 'home-locked', home, pid: owner.pid };
      expect(answers).toEqual([refusal, refusal, refusal]);
      owner.child.kill('SIGCONT');
      expect(await owner.ask('check', home)).toMatchObject({ isHeld: true });
      await owner.ask('release', home);
    }
  });
});

describe('a live owner', () => {
  it('is told apart from itself: one process cannot take its home twice', async () => {
    const home = newHome();
    const lock = await mustAcquire(home);
    expect(await acquireHere(home)).toMatchObject({ failure: { pid: process.pid } });
    expect(lock.isHeld()).toBe(true);
    await lock.release();
  });

  it('that nobody here can judge keeps its home while it gives signs of life', async () => {
    for (const facts of [{ namespace: 'pid:[2]' }, { boot_id: 'other', host: 'elsewhere' }]) {
      const home = newHome();
      leaveOwner(home, { pid: 4_000_000, ...facts });
      expect(await acquireHere(home)).toMatchObject({ failure: { pid: 4_000_000 } });
      const long = new Date(Date.now() - 60_000);
      utimesSync(join(home, 'run', 'lock'), long, long);
      utimesSync(join(home, 'run', 'lock.owner.7'), long, long);
      expect((await mustAcquire(home)).generation).toBe(8);
    }
  });
});

describe('F24 a dead owner is replaced at once', () => {
  it('when its pid belongs to another process now', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
    children.push(sleeper);
    const home = newHome();
    leaveOwner(home, { pid: sleeper.pid, start_time: '12345', namespace: namespaceHere });
    expect((await mustAcquire(home)).generation).toBe(8);
  });

  it('F11 when the machine was started again since', async () => {
    const home = newHome();
    leaveOwner(home, { pid: process.pid, boot_id: '00000000-aaaa-bbbb-cccc-000000000000' });
    expect((await mustAcquire(home)).generation).toBe(8);
  });

  it('F41b when it ended but nobody has reaped it', async () => {
    const home = newHome();
    // The child outlives the shell, which would reap it; `sleep` does not.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(parent);
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    });
    const stat = await vi.waitFor(() => {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      expect(text).toMatch(/\) Z /);
      return text;
    }, 10_000);
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    leaveOwner(home, { pid, start_time: startTime, namespace: namespaceHere });
    expect((await mustAcquire(home)).generation).toBe(8);
  });

  it('when its record is torn, once it is old', async () => {
    const home = newHome();
    const torn = join(home, 'run', 'lock.owner.3');
    writeFileSync(torn, '{"pid":');
    expect(await acquireHere(home)).toMatchObject({ failure: { kind: 'home-locked', pid: 0 } });
    utimesSync(torn, new Date(0), new Date(0));
    expect((await mustAcquire(home)).generation).toBe(4);
  });
});

describe('holding a home', () => {
  it('F26 leaves one record, 0600 in directories with 0700, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const home = join(workshop, 'open');
      const lock = await mustAcquire(home);
      await lock.release();
      await mustAcquire(home);
      expect(readdirSync(join(home, 'run')).toSorted()).toEqual([
        'lock',
        'lock.owner.2',
        'lock.owner.json',
      ]);
      expect(statSync(join(home, 'run')).mode & 0o777).toBe(0o700);
      expect(statSync(join(home, 'run', 'lock')).mode & 0o777).toBe(0o700);
      expect(statSync(join(home, 'run', 'lock.owner.json')).mode & 0o777).toBe(0o600);
      expect(readOwner(home)).toMatchObject({ pid: process.pid, generation: 2, released: false });
    } finally {
      process.umask(before);
    }
  });

  it('ends for good when the record is another’s, and the owner is told once', async () => {
    const home = newHome();
    const onLost = vi.fn<(reason: string) => void>();
    const lock = await mustAcquire(home, onLost);
    const path = join(home, 'run', 'lock.owner.json');
    const own = readFileSync(path, 'utf8');
    rmSync(path);
    writeFileSync(path, own.replace(/"generation":1/, '"generation":2'));
    expect(lock.isHeld()).toBe(false);
    writeFileSync(path, own);
    expect(lock.isHeld()).toBe(false);
    expect(onLost.mock.calls).toEqual([['owner-changed']]);
    await lock.release();
  });

  it('goes on when somebody only touches the record', async () => {
    const home = newHome();
    const lock = await mustAcquire(home);
    utimesSync(join(home, 'run', 'lock.owner.json'), new Date(), new Date());
    expect(lock.isHeld()).toBe(true);
    await lock.release();
  });

  it('ends when the whole run directory is removed', async () => {
    const home = newHome();
    const onLost = vi.fn<(reason: string) => void>();
    const lock = await mustAcquire(home, onLost);
    rmSync(join(home, 'run'), { recursive: true });
    expect(lock.isHeld()).toBe(false);
    expect(onLost).toHaveBeenCalledOnce();
  });

  it.each<[string, (lock: string) => void]>([
    ['is gone', (lock) => rmSync(lock, { recursive: true })],
    ['was touched by somebody else', (lock) => utimesSync(lock, new Date(0), new Date(0))],
  ])('F9 is regained when its sign of life %s, but its record is not', async (_, spoil) => {
    const home = newHome();
    const directory = join(home, 'run', 'lock');
    const onLost = vi.fn<(reason: string) => void>();
    const onRegained = vi.fn<() => void>();
    const acquired = await acquireHere(home, onLost, onRegained);
    if (!acquired.ok) throw new Error(JSON.stringify(acquired.failure));
    spoil(directory);
    expect(acquired.value.isHeld()).toBe(true);
    await vi.waitFor(() => expect(onRegained).toHaveBeenCalledOnce(), { timeout: 30_000 });
    expect(acquired.value.isHeld()).toBe(true);
    expect(Date.now() - statSync(directory).mtimeMs).toBeLessThan(60_000);
    expect(onLost).not.toHaveBeenCalled();
    await acquired.value.release();
    expect(existsSync(directory)).toBe(false);
    expect((await mustAcquire(home)).generation).toBe(2);
  });

  it('ends when its sign of life is gone because somebody else has the home: first the fence, then the word', async () => {
    const home = newHome();
    const states: boolean[] = [];
    const lock: HomeLock = await mustAcquire(home, () => states.push(lock.isHeld()));
    writeFileSync(join(home, 'run', 'lock.owner.2'), '{}');
    rmSync(join(home, 'run', 'lock'), { recursive: true });
    await vi.waitFor(() => expect(states).toEqual([false]), { timeout: 30_000 });
    await lock.release();
    expect(existsSync(join(home, 'run', 'lock'))).toBe(false);
  });

  it('can be given back and taken again many times, the number rising', async () => {
    const home = newHome();
    for (let generation = 1; generation <= 20; generation += 1) {
      const lock = await mustAcquire(home);
      expect(lock.generation).toBe(generation);
      await lock.release();
      expect(lock.isHeld()).toBe(false);
    }
    expect(existsSync(join(home, 'run', 'lock.owner.json'))).toBe(false);
  });

  it('fails with the reason where nothing can be written', async () => {
    writeFileSync(join(workshop, 'file'), '');
    expect(await acquireHere(join(workshop, 'file'))).toMatchObject({
      failure: { kind: 'io-failed', code: 'ENOTDIR' },
    });
  });
});
