import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Violation = { readonly key: string; readonly text: string };
type Tmux = (...args: readonly string[]) => Promise<{ readonly stdout: string }>;
type Script = {
  readonly checkTerminal: (
    place: { readonly tmux: Tmux },
    agents: readonly object[],
  ) => Promise<readonly Violation[]>;
};
type Secrets = { readonly checkSecrets: (place: object) => Promise<readonly Violation[]> };

const AGENT = { taskId: 'one', role: 'worker', launch: 'launch-1' };

describe('the oracle’s look at the terminal', () => {
  let folder: string;

  const run = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'tmux.sock'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: folder },
    });
  const tmux: Tmux = async (...args) => ({ stdout: run(...args) });
  const wrongWith = async (...agents: readonly object[]) => {
    const { checkTerminal } = await loadScript<Script>('../chaos/oracle/check-terminal');
    return (await checkTerminal({ tmux }, agents)).map(({ key }) => key);
  };
  /** A session as orange makes one for an agent. */
  function open(session: string, taskId: string, launch: string): void {
    run('new-session', '-d', '-s', session, '-n', 'worker', '--', 'sleep', '60');
    run('set-option', '-t', `=${session}:`, '@orange_task', taskId);
    run('set-option', '-w', '-t', `=${session}:worker`, '@orange_launch', launch);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ow-'));
    run('new-session', '-d', '-s', '_orange', '--', 'sleep', '60');
    run('set-option', '-t', '=_orange:', '@orange_keeper', 'yes');
  });
  afterEach(() => {
    run('kill-server');
    rmSync(folder, { recursive: true, force: true });
  });

  it('is content with a window for each living agent, and the session that is kept', async () => {
    open('shop/one', 'one', 'launch-1');
    run('rename-session', '-t', '=shop/one:', 'mine');
    expect(await wrongWith(AGENT, AGENT)).toEqual([]);
  });

  it('I4 sees a window whose agent does not live, or that is nobody’s', async () => {
    open('shop/one', 'one', 'launch-1');
    expect(await wrongWith({ ...AGENT, launch: 'launch-2' })).toEqual([
      'I4 terminal window shop/one:worker',
    ]);
    run('new-window', '-d', '-t', '=shop/one:', '-n', 'left', '--', 'sleep', '60');
    expect(await wrongWith(AGENT)).toEqual(['I4 terminal window shop/one:left']);
  });

  it('I4 sees two windows of one agent, and I9 more sessions kept than one', async () => {
    open('shop/one', 'one', 'launch-1');
    open('shop/one-2', 'one', 'launch-1');
    expect(await wrongWith(AGENT)).toEqual(['I4 terminal window shop/one-2:worker']);
    run('set-option', '-t', '=shop/one-2:', '@orange_keeper', 'yes');
    expect(await wrongWith(AGENT)).toEqual(['I9 terminal']);
  });

  it('G12 I8 sees a secret in the environment of the server, or of one session', async () => {
    const { checkSecrets } = await loadScript<Secrets>('../chaos/oracle/check-secrets');
    open('shop/one', 'one', 'launch-1');
    const place = { home: folder, chaos: folder, root: folder, secret: 'hush-hush', tmux };
    const broken = async () => (await checkSecrets(place)).map(({ text }) => text);
    expect(await broken()).toEqual([]);
    run('set-environment', '-t', '=shop/one:', 'KEY', 'hush-hush');
    expect(await broken()).toEqual([expect.stringContaining('the environment of tmux')]);
    run('set-environment', '-r', '-t', '=shop/one:', 'KEY');
    run('set-environment', '-g', 'KEY', 'hush-hush');
    expect(await broken()).toEqual([expect.stringContaining('tmux: holds a secret: -g')]);
  });
});
