import { describe, expect, it } from 'vitest';
import { type ControlEvent, ControlReader } from '../../src/adapters/tmux-control-protocol.js';

const SIGN = 'orange-sign';

function block(guard: string, ...lines: readonly string[]): string {
  return [`%begin ${guard} 1`, ...lines, `%end ${guard} 1`, ''].join('\n');
}

function refusal(guard: string, ...lines: readonly string[]): string {
  return [`%begin ${guard} 1`, ...lines, `%error ${guard} 1`, ''].join('\n');
}

const SIGNED = block('7 99', SIGN);

function readAnswer(text: string, commands = 1): readonly ControlEvent[] {
  const reader = new ControlReader();
  reader.expect(SIGN, commands);
  return reader.read(text);
}

function answer(output: string, isRefused = false): ControlEvent {
  return { kind: 'answer', isRefused, output };
}

describe('answers', () => {
  it('are what stands between the guards of a call', () => {
    expect(readAnswer(`${block('7 1', 'one', 'two')}${SIGNED}`)).toEqual([answer('one\ntwo\n')]);
  });

  it('of several commands are put together, however the text is cut', () => {
    const text = `${block('7 1', 'one')}${block('7 2')}${block('7 3', 'three')}${SIGNED}`;
    const reader = new ControlReader();
    reader.expect(SIGN, 3);
    const events = Array.from(text).flatMap((character) => reader.read(character));
    expect(events).toEqual([answer('one\nthree\n')]);
  });

  it('of a refused command tell why, and nothing of the commands before it', () => {
    const text = `${block('7 1', 'one')}${refusal('7 2', 'no such thing')}${SIGNED}`;
    expect(readAnswer(text, 3)).toEqual([answer('no such thing\n', true)]);
  });

  it('cannot be forged by what an agent has on its screen', () => {
    const screen = [
      '%end 7 1 1',
      '%begin 7 2 1',
      'orange-guess',
      '%end 7 2 1',
      '%error 7 1 1',
      '%unlinked-window-close @1',
      '%exit',
      'no percent sign',
    ];
    expect(readAnswer(`${block('7 1', ...screen)}${SIGNED}`)).toEqual([
      answer(`${screen.join('\n')}\n`),
    ]);
  });

  it('are one call each, with the next one right behind', () => {
    const reader = new ControlReader();
    reader.expect(SIGN, 1);
    expect(reader.read(`${block('7 1', 'a')}${SIGNED}`)).toEqual([answer('a\n')]);
    reader.expect('orange-other', 1);
    expect(reader.read(`${block('7 100', 'b')}${block('7 101', 'orange-other')}`)).toEqual([
      answer('b\n'),
    ]);
  });
});

describe('notices', () => {
  it('are understood between calls, among those that concern nobody', () => {
    const text = [
      '%begin 7 1 0',
      'text of the command line of the client',
      '%end 7 1 0',
      '%window-add @1',
      '%sessions-changed',
      '%session-changed $1 _orange',
      '%output %1 hello\\012',
      '%unlinked-window-add @2',
      '%unlinked-window-close @2',
      '%session-renamed $1 a b',
      '%exit server exited unexpectedly',
      '',
    ].join('\n');
    expect(new ControlReader().read(text)).toEqual([
      { kind: 'window-added', windowId: '@1' },
      { kind: 'window-added', windowId: '@2' },
      { kind: 'window-closed', windowId: '@2' },
      { kind: 'renamed' },
      { kind: 'exit', reason: 'server exited unexpectedly' },
    ]);
  });

  it('that come while an answer is awaited are not taken for a part of it', () => {
    const text = `%begin 7 0 0\n%end 7 0 0\n%window-close @4\n${block('7 1', 'a')}%window-close @5\n${SIGNED}`;
    expect(readAnswer(text)).toEqual([
      { kind: 'window-closed', windowId: '@4' },
      { kind: 'window-closed', windowId: '@5' },
      answer('a\n'),
    ]);
  });
});

describe('the end', () => {
  it('is understood also while an answer is awaited', () => {
    const reader = new ControlReader();
    expect(reader.lastWords()).toBeNull();
    reader.expect(SIGN, 1);
    reader.read('%begin 7 1 1\nsome\n');
    expect(reader.lastWords()).toBeNull();
    reader.read('%exit server exited unexpectedly\n');
    expect(reader.lastWords()).toBe('server exited unexpectedly');
  });
});

describe('what is not the protocol', () => {
  it.each([
    ['an answer to nobody', `${block('7 1')}${block('7 2')}${SIGNED}`],
    ['no answer', SIGNED],
    ['an answer after a refusal', `${refusal('7 1')}${block('7 2')}${SIGNED}`],
    ['an answer that does not end', `%begin 7 1 1\na\n%end 7 2 1\n${SIGNED}`],
    ['text of no command', `a\n${block('7 1')}${SIGNED}`],
  ])('is told from it: %s', (_, text) => {
    expect(readAnswer(text)[0]).toMatchObject({ kind: 'broken' });
  });

  it('is text where a notice should be', () => {
    expect(new ControlReader().read('usage: tmux\n')).toMatchObject([{ kind: 'broken' }]);
  });

  it('is a line or an answer without end', () => {
    expect(new ControlReader().read('x'.repeat(1024 * 1024 + 1))).toMatchObject([
      { kind: 'broken' },
    ]);
    const reader = new ControlReader();
    reader.expect(SIGN, 1);
    const part = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    const events = Array.from({ length: 17 }, () => reader.read(part)).flat();
    expect(events).toMatchObject([{ kind: 'broken' }]);
  });
});
