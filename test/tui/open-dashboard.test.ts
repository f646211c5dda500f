import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { describe, expect, it } from 'vitest';
import { success } from '../../src/domain/result.js';
import { openDashboard } from '../../src/tui/open-dashboard.js';
import { FakeClient } from './dashboard-rig.js';
import { manyTasks, NOW, snapshotOf } from './task-views.js';

/** Streams that look like a terminal and remember what happened to them. */
function fakeTerminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    ref: () => undefined,
    unref: () => undefined,
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let written = '';
  stdout.on('data', (chunk) => {
    written += String(chunk);
  });
  return {
    stdin: asInput(stdin),
    stdout: asOutput(stdout),
    endInput: () => stdin.end(),
    type: (keys: string) => stdin.write(keys),
    written: () => written,
    isRaw: () => modes.at(-1),
  };
}

function asInput(stream: object): ReadStream {
  if (!isInput(stream)) throw new Error('not an input');
  return stream;
}

function isInput(stream: object): stream is ReadStream {
  return 'setRawMode' in stream;
}

function asOutput(stream: object): WriteStream {
  if (!isOutput(stream)) throw new Error('not an output');
  return stream;
}

function isOutput(stream: object): stream is WriteStream {
  return 'columns' in stream;
}

const ENTERS = '\u001B[?1049h';
const LEAVES = '\u001B[?1049l';
const ESC = '\u001B';
const COLORED = new RegExp(`${ESC}\\[(3|4|9)[0-9]m`, 'u');
const SHOWS_CURSOR = '\u001B[?25h';

async function until(is: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!is()) {
    if (Date.now() > deadline) throw new Error('it never happened');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function open(overrides: Partial<Parameters<typeof openDashboard>[0]> = {}) {
  const terminal = fakeTerminal();
  const client = new FakeClient();
  client.snapshot = success(snapshotOf(manyTasks(3)));
  const ended = openDashboard({
    client,
    project: null,
    showAll: false,
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    attach: () => Promise.resolve(null),
    readTaskFile: () => Promise.resolve(''),
    readLastScreen: () => Promise.resolve(null),
    readDiff: () => Promise.resolve(success('')),
    clock: { nowMs: () => NOW },
    ...overrides,
  });
  return { terminal, client, ended };
}

function expectRestored(terminal: ReturnType<typeof fakeTerminal>): void {
  const end = terminal.written().slice(terminal.written().lastIndexOf(ENTERS));
  expect(end).toContain(SHOWS_CURSOR);
  expect(end.endsWith(LEAVES)).toBe(true);
  expect(terminal.isRaw()).toBe(false);
}

describe('opening the dashboard', () => {
  it('takes the alternate screen and gives the terminal back after q', async () => {
    const { terminal, ended } = open();
    await until(() => terminal.written().includes('branch-0002'));
    expect(terminal.written().startsWith(ENTERS)).toBe(true);
    expect(terminal.isRaw()).toBe(true);
    terminal.type('q');
    await ended;
    expectRestored(terminal);
  });

  it('rings when a person is to be told something, and while it is on the screen only', async () => {
    const { terminal, client, ended } = open();
    await until(() => terminal.written().includes('branch-0002'));
    const nothing = { tasks: [], removed: [], projects: null, workspaces: null, problems: null };
    client.push({ ...nothing, alert: 'shop/dark-mode: asks\u001B[2J' });
    expect(terminal.written()).toContain('\u001B]9;shop/dark-mode: asks\u001B\\\u0007');
    terminal.type('q');
    await ended;
    client.push({ ...nothing, alert: 'too late' });
    expect(terminal.written()).not.toContain('too late');
    expectRestored(terminal);
  });

  it('never erases the scrollback, however the window changes', async () => {
    const { terminal, ended } = open();
    await until(() => terminal.written().includes('branch-0002'));
    for (const [columns, rows] of [
      [40, 10],
      [1, 1],
      [200, 60],
    ] as const) {
      Object.assign(terminal.stdout, { columns, rows });
      terminal.stdout.emit('resize');
    }
    terminal.type('q');
    await ended;
    expect(terminal.written()).not.toContain('\u001B[3J');
    expectRestored(terminal);
  });

  it('leaves the screen to an attached session and comes back as it was', async () => {
    const seen: string[] = [];
    const terminalOf: { written?: () => string } = {};
    const { terminal, ended } = open({
      attach: async ({ session }) => {
        seen.push(session);
        expect(terminalOf.written?.().endsWith(LEAVES)).toBe(true);
        return 'detached; welcome back';
      },
    });
    terminalOf.written = terminal.written;
    await until(() => terminal.written().includes('branch-0002'));
    terminal.type('jj');
    terminal.type('\r');
    await until(() => terminal.written().includes('welcome back'));
    expect(seen).toEqual(['shop/dark-mode']);
    expect(terminal.written().slice(terminal.written().lastIndexOf(ENTERS))).toMatch(
      /❯.*branch-0002/u,
    );
    terminal.type('q');
    await ended;
    expectRestored(terminal);
  });

  it('draws everything again after Ctrl-L and after a lost connection', async () => {
    const { terminal, client, ended } = open();
    const shows = () => terminal.written().split('branch-0002').length - 1;
    await until(() => shows() > 0);
    const first = shows();
    terminal.type('\u000C');
    await until(() => shows() > first);
    const second = shows();
    client.close();
    await until(() => shows() > second);
    terminal.type('q');
    await ended;
  });

  it('draws without colours where none are wanted', async () => {
    const { terminal, ended } = open({ colors: 'plain' });
    await until(() => terminal.written().includes('branch-0002'));
    terminal.type('q');
    await ended;
    expect(terminal.written()).not.toMatch(COLORED);
  });

  it('F75 ends quietly when the output is gone', async () => {
    const { terminal, ended } = open();
    await until(() => terminal.written().includes('branch-0002'));
    terminal.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await ended;
    expect(terminal.isRaw()).toBe(false);
  });

  it('ends when the input ends', async () => {
    const { terminal, ended } = open();
    await until(() => terminal.written().includes('branch-0002'));
    terminal.endInput();
    await ended;
    expectRestored(terminal);
  });

  it('ends when it is told to from outside', async () => {
    const abort = new AbortController();
    const { terminal, ended } = open({ signal: abort.signal });
    await until(() => terminal.written().includes('branch-0002'));
    abort.abort();
    await ended;
    expectRestored(terminal);
  });

  it('gives the terminal back when attaching throws', async () => {
    const { terminal, ended } = open({ attach: () => Promise.reject(new Error('no tmux')) });
    await until(() => terminal.written().includes('branch-0002'));
    terminal.type('\r');
    await expect(ended).rejects.toThrow('no tmux');
    expectRestored(terminal);
  });
});
