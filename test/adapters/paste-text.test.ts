import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runAttachedInPane } from '../rigs/attach-in-pane.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { hasTypedLately, pasteableText } from '../../src/adapters/paste-text.js';

/** Reads keys as an agent's input box does: a paste in brackets, Enter to submit, then shows it. */
const INPUT_BOX = `
const fs = require('node:fs');
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?2004h' + 'ready\\n');
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk.toString('latin1');
  process.stdout.write('.');
  if (!text.endsWith('\\r') || !text.includes('\\x1b[201~')) return;
  fs.writeFileSync('../got.tmp', Buffer.from(text, 'latin1'));
  fs.renameSync('../got.tmp', '../got');
  process.stdout.write('\\ntaken\\n');
  text = '';
});
`;
const PLACE = { session: 'demo/branch', window: 'worker' };
type Rig = ReturnType<typeof createTmuxRig>;

async function startInputBox(rig: Rig): Promise<void> {
  await rig.launch({ argv: [process.execPath, '-e', INPUT_BOX] });
  await expect.poll(() => rig.sessions.capture(PLACE, 5)).toMatchObject({ value: ['ready'] });
}

function unwrap(received: string): string {
  expect(received.startsWith('\u001b[200~') && received.endsWith('\u001b[201~\r')).toBe(true);
  return received.slice(6, -7).replaceAll('\r', '\n');
}

describe('pasteableText', () => {
  it('leaves nothing that could end the paste or press a key', () => {
    expect(pasteableText('a\u001b[201~b\u001b[200~c\u009b201~d')).toBe('abcd');
    expect(pasteableText('\u001b\u001b[201~[201~x')).toBe('[201~x');
    expect(pasteableText('stop\u0003 \u0004\u007f\u0085now\ttab\r\nline\n\n')).toBe(
      'stop now\ttab\nline',
    );
    expect(pasteableText('漢字 🍊 \u202e')).toBe('漢字 🍊 \u202e');
  });
});

describe('telling an agent', () => {
  it('pastes a megabyte byte for byte and submits it once (F68)', async () => {
    await using rig = createTmuxRig();
    await startInputBox(rig);
    const line = `${createHash('sha512').update('x').digest('hex')} $(id) #(id) ' " \\ é漢🍊;\n`;
    const text = `-start ${line.repeat(6500)}ends in;`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_000_000);
    expect(await rig.sessions.tell(PLACE, text)).toEqual({ ok: true });
    expect(unwrap(await rig.appears('got')) === text).toBe(true);
    expect(rig.tmux('list-buffers')).toBe('');
  });

  it('pastes over the open connection byte for byte, without a process of its own', async () => {
    await using rig = createTmuxRig();
    await startInputBox(rig);
    rig.sessions.events.follow({
      onWindowClosed: () => undefined,
      onRenamed: () => undefined,
      onState: () => undefined,
    });
    await expect.poll(() => rig.sessions.events.state().state).toBe('connected');
    const line = `a\tb $(id) #(id) #{pane_id} ' " \\ \\n %1 ~ {x} é漢🍊; \n`;
    const text = `-start ${line.repeat(3)}\n\nends in;`;
    expect(await rig.sessions.tell(PLACE, text)).toEqual({ ok: true });
    expect(unwrap(await rig.appears('got'))).toBe(text);
    expect(rig.tmux('list-buffers')).toBe('');
  });

  it('is not broken out of by a text that pretends to end the paste', async () => {
    await using rig = createTmuxRig();
    await startInputBox(rig);
    expect(await rig.sessions.tell(PLACE, 'one\u001b[201~\rtwo\u0003')).toEqual({ ok: true });
    expect(unwrap(await rig.appears('got'))).toBe('onetwo');
  });

  it('leaves copy mode first (F59)', async () => {
    await using rig = createTmuxRig();
    await startInputBox(rig);
    rig.tmux('copy-mode', '-t', '=demo/branch:=worker');
    expect(await rig.sessions.tell(PLACE, 'look here')).toEqual({ ok: true });
    expect(unwrap(await rig.appears('got'))).toBe('look here');
  });

  it('presses Enter again when the first one was not taken', async () => {
    await using rig = createTmuxRig();
    const deaf = `
      process.stdin.setRawMode(true);
      process.stdout.write('ready\\n');
      let enters = 0;
      process.stdin.on('data', (chunk) => {
        if (!chunk.includes('\\r')) return process.stdout.write('.');
        enters += 1;
        if (enters === 3) process.stdout.write('\\ntaken\\n');
      });`;
    await rig.launch({ argv: [process.execPath, '-e', deaf] });
    await expect.poll(() => rig.sessions.capture(PLACE, 5)).toMatchObject({ value: ['ready'] });
    expect(await rig.sessions.tell(PLACE, 'hello')).toEqual({ ok: true });
    expect(await rig.sessions.capture(PLACE, 5)).toMatchObject({ value: ['ready', '.', 'taken'] });
  });

  it('says that a message was not delivered when the screen never moves', async () => {
    await using rig = createTmuxRig();
    await rig.sh('stty -echo raw; echo ready; exec sleep 1000');
    await expect.poll(() => rig.sessions.capture(PLACE, 5)).toMatchObject({ value: ['ready'] });
    expect(await rig.sessions.tell(PLACE, 'hello')).toEqual({
      ok: false,
      failure: {
        kind: 'message-not-delivered',
        window: 'worker',
        reason: 'its screen did not change',
      },
    });
  });

  it('does not take a window that is not there, or only begins with the name, for the agent’s', async () => {
    await using rig = createTmuxRig();
    const missing = { kind: 'not-found', what: 'window' };
    expect(await rig.sessions.tell(PLACE, 'x')).toMatchObject({ ok: false, failure: missing });
    await rig.sh('cat', { window: 'worker2' });
    expect(await rig.sessions.tell(PLACE, 'x')).toMatchObject({ ok: false, failure: missing });
    const hostile = { session: '', window: 'worker' };
    expect(await rig.sessions.tell(hostile, 'x')).toMatchObject({ ok: false, failure: missing });
  });

  it('does not talk to a dead pane', async () => {
    await using rig = createTmuxRig();
    await rig.sh('read line');
    rig.tmux('set-option', '-w', '-t', '=demo/branch:=worker', 'remain-on-exit', 'on');
    rig.tmux('send-keys', '-t', '=demo/branch:=worker', 'Enter');
    await rig.ended('taskone', 'worker');
    await expect.poll(() => rig.tmux('list-panes', '-a', '-F', '#{pane_dead}')).toBe('1\n');
    expect(await rig.sessions.tell(PLACE, 'x')).toMatchObject({
      failure: { kind: 'message-not-delivered', reason: 'its agent has ended' },
    });
  });

  it('refuses a text with nothing in it', async () => {
    await using rig = createTmuxRig();
    await rig.sh('cat');
    expect(await rig.sessions.tell(PLACE, '\u001b[201~\n')).toMatchObject({
      failure: { kind: 'invalid-argument', argument: 'text' },
    });
  });

  it('delivers two messages one after the other, never mixed', async () => {
    await using rig = createTmuxRig();
    await rig.sh('while read line; do echo "$line" >> ../lines; echo "took $line"; done');
    const told = await Promise.all([
      rig.sessions.tell(PLACE, 'first '.repeat(50).trim()),
      rig.sessions.tell(PLACE, 'second '.repeat(50).trim()),
    ]);
    expect(told).toEqual([{ ok: true }, { ok: true }]);
    await expect
      .poll(() => rig.read('lines'))
      .toBe(`${'first '.repeat(50).trim()}\n${'second '.repeat(50).trim()}\n`);
  });

  it('waits while somebody types there', async () => {
    await using rig = createTmuxRig();
    await startInputBox(rig);
    await using human = await runAttachedInPane(rig, PLACE);
    human.press('x');
    const pressed = Date.now();
    const told = rig.sessions.tell(PLACE, 'not now');
    await pause(1000);
    human.press('y');
    expect(await told).toEqual({ ok: true });
    expect(Date.now() - pressed).toBeGreaterThan(2900);
    expect(await rig.appears('got')).toContain('not now');
  });
});

describe('somebody at an agent’s terminal', () => {
  const NOW_MS = 1_800_000_000_900;
  const now = Math.floor(NOW_MS / 1000);

  it.each([
    ['typed just now', `0 ${now}`, true],
    ['typed two seconds ago', `1 ${now}\n0 ${now - 2}`, true],
    ['has been quiet for a while', `0 ${now - 3}`, false],
    ['only watches in control mode', `1 ${now}`, false],
    ['is not there', '', false],
    ['typed before the clock was set back (F10)', `0 ${now + 3600}`, false],
  ])('who %s', (_, clients, expected) => {
    expect(hasTypedLately(clients, NOW_MS)).toBe(expected);
  });
});
