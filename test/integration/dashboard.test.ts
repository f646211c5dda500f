import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

/** The dashboard in a terminal of its own: a tmux server that has nothing to do with orange's. */
function openTerminal(rig: Rig, size: { readonly columns: number; readonly rows: number }) {
  const socket = join(rig.root, 'ui.sock');
  const ui = (...argv: readonly string[]): string => {
    const ran = spawnSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...argv], {
      env: { ...rig.env, TERM: 'xterm-256color' },
      cwd: rig.repository,
      encoding: 'utf8',
    });
    return ran.stdout;
  };
  const [columns, rows] = [String(size.columns), String(size.rows)];
  const command = `${process.execPath} ${rig.program}; echo "left with $?"; exec cat`;
  ui('new-session', '-d', '-s', 'ui', '-x', columns, '-y', rows, '--', 'sh', '-c', command);
  const screen = (): string => ui('capture-pane', '-p', '-t', '=ui:');
  return {
    screen,
    press: (...keys: readonly string[]): void => void ui('send-keys', '-t', '=ui:', ...keys),
    type: (text: string): void => void ui('send-keys', '-t', '=ui:', '-l', text),
    resize: (x: number, y: number): void =>
      void ui('resize-window', '-t', '=ui:', '-x', String(x), '-y', String(y)),
    async shows(text: string): Promise<string> {
      return rig
        .until(`"${text}" on the screen`, () => screen().includes(text) && screen(), 20_000)
        .catch((error: Error) => {
          throw new Error(`${error.message}\n${screen()}`);
        });
    },
    [Symbol.dispose]: (): void => void ui('kill-server'),
  };
}

const DEMO = ['--harness', 'demo', '--review-harness', 'demo'] as const;

it('ORA-76 the dashboard shows a live task, attaches to its agent and comes back', async () => {
  await using rig = await createRig();
  const id = await rig.create('dark-mode', 'Add a dark mode', ...DEMO);
  using terminal = openTerminal(rig, { columns: 80, rows: 24 });
  await terminal.shows('shop/dark-mode');
  await rig.waitForStatus(id, 'reviewing');
  const list = await terminal.shows('reviewing');
  expect(list).toMatch(/● \[1\] +shop\/dark-mode +reviewing/);
  for (const line of list.split('\n')) expect(line.length).toBeLessThanOrEqual(80);

  terminal.press('Enter');
  await terminal.shows('leave: Ctrl-b (twice in tmux) d');
  terminal.press('C-b');
  terminal.press('d');
  await terminal.shows('Add a dark mode');
  expect(terminal.screen()).toContain('shop/dark-mode');

  terminal.press('q');
  await terminal.shows('left with 0');
});

it('F53 the dashboard says that the tmux server went away under whoever was attached', async () => {
  await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
  await rig.create('dark-mode', 'Add a dark mode', '--harness', 'plain');
  using terminal = openTerminal(rig, { columns: 80, rows: 24 });
  await terminal.shows('shop/dark-mode');
  terminal.press('Enter');
  await terminal.shows('leave: Ctrl-b (twice in tmux) d');
  spawnSync('tmux', ['-S', join(rig.home, 'run', 'tmux.sock'), 'kill-server']);
  await terminal.shows('the tmux server ended');
});

it('the dashboard creates, shows changes and risk, asks before it merges, merges, and releases what is held', async () => {
  await using rig = await createRig();
  using terminal = openTerminal(rig, { columns: 100, rows: 30 });
  await terminal.shows('c create');
  terminal.press('c');
  await terminal.shows('Esc cancel');
  terminal.type('from-form');
  terminal.press('Tab');
  terminal.type('Made in the form; with "quotes"');
  terminal.press('Tab');
  terminal.type('demo');
  terminal.press('Enter');
  await terminal.shows('shop/from-form');
  const tasks = (await rig.must('task', 'list', '--json')).json<
    { id: string; summary: string }[]
  >();
  expect(tasks.map(({ summary }) => summary)).toEqual(['Made in the form; with "quotes"']);
  const id = tasks[0]?.id ?? '';
  await rig.waitForStatus(id, 'reviewing');
  await terminal.shows('waits for your review');

  terminal.press('V');
  const changes = await terminal.shows('@@ -0,0 +1');
  expect(changes).toContain('on from-form since main');
  expect(changes).toMatch(/^@@ -0,0/mu);
  terminal.press('Escape');
  await terminal.shows('m merge');
  terminal.press('F');
  await terminal.shows('[risk Low ✓]');

  terminal.press('m');
  await terminal.shows('y yes');
  terminal.press('n');
  await terminal.shows('m merge');
  expect(rig.field(id, 'status')).toBe('reviewing');
  terminal.press('m');
  await terminal.shows('y yes');
  terminal.press('y');
  await rig.waitForStatus(id, 'done');
  await terminal.shows('merged shop/from-form');

  const held = await rig.create('held', 'Held', '--no-spawn', ...DEMO);
  terminal.press('Q');
  await terminal.shows('❯ 1   shop/held  normal');
  terminal.press('H');
  await terminal.shows('Nothing waits to be started.');
  expect(rig.field(held, 'status')).not.toBe('pending');
});

it('F75 a terminal of one cell, an unknown key and Ctrl-C leave daemon and terminal well', async () => {
  await using rig = await createRig();
  const id = await rig.create('small', 'Small', ...DEMO);
  using terminal = openTerminal(rig, { columns: 80, rows: 24 });
  await terminal.shows('shop/small');
  terminal.resize(1, 1);
  terminal.press('j', 'Z', 'F5');
  terminal.resize(200, 50);
  await terminal.shows('shop/small');
  terminal.press('?');
  await terminal.shows('view TASK.md');
  // Esc and the next key must not arrive in one read: together they would mean Alt and that key.
  terminal.press('Escape');
  await terminal.shows('c create');
  terminal.press('v');
  await terminal.shows(`id: ${id}`);
  terminal.press('Escape');
  await terminal.shows('c create');
  terminal.press('C-c');
  await terminal.shows('left with');
  expect((await rig.must('daemon', 'status', '--json')).json()['running']).toBe(true);
});
