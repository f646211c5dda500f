import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type How = { readonly failpoint?: string; readonly env?: object; readonly mayRefuse?: boolean };
type Daemon = {
  readonly pid: number;
  readonly isRunning: boolean;
  start(how?: How): Promise<boolean>;
  end(signal?: string): Promise<void>;
  awaitEnd(deadlineMs: number): Promise<boolean>;
};
type Script = {
  readonly Daemon: new (place: object, complain: (what: string) => void) => Daemon;
};

// What stands in for the daemon: it says hello, and ends as its environment says, at once or on SIGUSR1.
const PROGRAM = `
const end = () => {
  if (process.env.WORDS) process.stderr.write(process.env.WORDS + '\\n');
  if (process.env.SIGNAL) process.kill(process.pid, process.env.SIGNAL);
  else process.exit(Number(process.env.CODE ?? 0));
};
if (process.env.WHEN === 'start') end();
process.on('SIGTERM', () => process.exit(Number(process.env.TOLD ?? 0)));
process.on('SIGUSR1', end);
require('node:fs').rmSync(process.env.SOCKET, { force: true });
const greeting = JSON.stringify({ orange: '1', protocol: 1, pid: process.pid }) + '\\n';
require('node:net').createServer((client) => {
  client.on('error', () => undefined);
  client.write(greeting);
}).listen(process.env.SOCKET);
`;

describe('the daemon of a course of chaos', () => {
  let root: string;
  let complaints: string[];
  let daemon: Daemon;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'ocd-'));
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist', 'package.json'), '{"type":"commonjs"}');
    writeFileSync(join(root, 'dist', 'orange-daemon.js'), PROGRAM);
    complaints = [];
    const socket = join(root, 'sock');
    const env = { PATH: process.env['PATH'], SOCKET: socket };
    const place = { root, program: join(root, 'dist', 'orange.js'), socket, env };
    const { Daemon } = await loadScript<Script>('../chaos/daemon');
    daemon = new Daemon(place, (what) => void complaints.push(what));
  });
  afterEach(async () => {
    await daemon.end();
    rmSync(root, { recursive: true, force: true });
  });

  /** A daemon that ends at a moment of its own, and what is complained of. */
  async function endingOf(
    when: 'start' | 'later',
    env: object,
    how: How = {},
  ): Promise<readonly string[]> {
    const isUp = await daemon.start({ ...how, env: { WHEN: when, ...env } });
    expect(isUp).toBe(when === 'later');
    if (isUp) process.kill(daemon.pid, 'SIGUSR1');
    expect(await daemon.awaitEnd(20_000)).toBe(true);
    return complaints;
  }

  it.each([
    ['0, as after its lock was lost', { CODE: '0' }, 'exit code 0'],
    ['1', { CODE: '1' }, 'exit code 1'],
    ['70, as after a bug', { CODE: '70' }, 'exit code 70'],
    ['75, as when it hung', { CODE: '75' }, 'exit code 75'],
    ['SIGSEGV', { SIGNAL: 'SIGSEGV' }, 'SIGSEGV'],
    ['a SIGKILL that nobody here has sent', { SIGNAL: 'SIGKILL' }, 'SIGKILL'],
  ])('G10 must not end by itself: %s', async (_what, env, how) => {
    expect(await endingOf('later', { ...env, WORDS: 'last words' })).toEqual([
      `I10 the daemon: ended by itself: ${how}\nlast words\n`,
    ]);
  });

  it('may end when it is told to, as it was told to', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM']) {
      expect(await daemon.start()).toBe(true);
      await daemon.end(signal);
    }
    expect(complaints).toEqual([]);
    expect(await daemon.start({ env: { TOLD: '70' } })).toBe(true);
    await daemon.end('SIGTERM');
    expect(complaints).toEqual(['I10 the daemon: ended otherwise than by SIGTERM: exit code 70\n']);
  });

  it('may end at a failpoint that kills it or lets it hang, and nowhere else', async () => {
    const killed = 'failpoint move.committed: kill';
    await endingOf('later', { SIGNAL: 'SIGKILL', WORDS: killed });
    await endingOf('later', { CODE: '75', WORDS: 'failpoint move.committed: hang' });
    expect(complaints).toEqual([]);
    const thrown = 'failpoint disk.read: throw';
    await endingOf('later', { CODE: '1', WORDS: thrown }, { failpoint: 'disk.read:throw:EIO' });
    await endingOf('later', { CODE: '1', WORDS: killed });
    await endingOf('later', { CODE: '1' }, { failpoint: 'disk.read@60:kill' });
    expect(complaints).toHaveLength(3);
  });

  it('may refuse to start, by name, only for a fault that keeps it from starting', async () => {
    const refusal = { CODE: '1', WORDS: 'The home is read-only.' };
    await endingOf('start', refusal, { mayRefuse: true });
    await endingOf('start', { CODE: '1', WORDS: 'failpoint lock.claimed: throw' });
    expect(complaints).toEqual([]);
    await endingOf('start', refusal);
    await endingOf('start', { CODE: '1' }, { mayRefuse: true });
    await endingOf('start', { SIGNAL: 'SIGSEGV' }, { mayRefuse: true });
    await endingOf('later', refusal, { mayRefuse: true });
    expect(complaints.map((text) => text.split('\n')[0])).toEqual([
      'I10 the daemon: ended by itself before it answered: exit code 1',
      'I10 the daemon: ended by itself before it answered: exit code 1',
      'I10 the daemon: ended by itself before it answered: SIGSEGV',
      'I10 the daemon: ended by itself: exit code 1',
    ]);
  });
});
