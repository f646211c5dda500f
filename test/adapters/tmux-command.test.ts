import { describe, expect, it } from 'vitest';
import {
  classifyTmuxFailure,
  isTurnedAway,
  isExactSessionName,
  isExactWindowName,
  literalFormat,
  sessionTarget,
  tmuxArguments,
  windowTarget,
} from '../../src/adapters/tmux-command.js';
import { InternalError } from '../../src/domain/failure.js';

const server = { socket: '/tmp/s', conf: '/tmp/c' };
const FIXED = ['-u', '-S', '/tmp/s', '-f', '/tmp/c'];

describe('tmuxArguments', () => {
  it('speaks only to its own socket with its own configuration', () => {
    expect(tmuxArguments(server, [['list-windows', '-a']])).toEqual({
      ok: true,
      value: [...FIXED, 'list-windows', '-a'],
    });
  });

  it('joins commands, and escapes a semicolon that an argument ends with', () => {
    const built = tmuxArguments(server, [
      ['send-keys', '-l', 'fix it;'],
      ['send-keys', '\\;', ';', 'a;b'],
    ]);
    expect(built).toEqual({
      ok: true,
      value: [...FIXED, 'send-keys', '-l', 'fix it\\;', ';', 'send-keys', '\\\\;', '\\;', 'a;b'],
    });
  });

  it('refuses what the server would not take in one message', () => {
    expect(tmuxArguments(server, [['send-keys', 'x'.repeat(16_000)]])).toMatchObject({
      ok: false,
      failure: { kind: 'invalid-argument', value: 'send-keys' },
    });
  });

  it('refuses a socket path that the kernel would cut', () => {
    const socket = `/${'x'.repeat(103)}`;
    expect(tmuxArguments({ socket, conf: '' }, [['list-windows']])).toEqual({
      ok: false,
      failure: { kind: 'path-too-long', path: socket, max: 103 },
    });
  });
});

describe('targets', () => {
  it('F57 are exact', () => {
    expect(sessionTarget('demo/fix')).toBe('=demo/fix:');
    expect(windowTarget('demo/fix', 'review-1')).toBe('=demo/fix:=review-1');
  });

  it('F58 are never empty, since tmux would take the latest session', () => {
    expect(() => sessionTarget('')).toThrow(InternalError);
    expect(() => windowTarget('demo', '')).toThrow(InternalError);
    expect(() => windowTarget('', 'worker')).toThrow(InternalError);
    expect(() => literalFormat('')).toThrow(InternalError);
  });

  it('double what a format would expand', () => {
    expect(literalFormat('x#(touch /tmp/y)#{pid}')).toBe('x##(touch /tmp/y)##{pid}');
  });

  it.each(['', '-x', 'a.b', 'a:b', 'a b', '#(id)', '$1', '@1', '=x', 'a\nb', '{last}', '漢'])(
    'does not trust the name %j',
    (name) => {
      expect(isExactSessionName(name)).toBe(false);
      expect(isExactWindowName(name)).toBe(false);
    },
  );

  it('lets a session begin with a digit, but no window, since that would be an index', () => {
    expect(isExactSessionName('2048/main')).toBe(true);
    expect(isExactWindowName('1')).toBe(false);
    expect(isExactWindowName('review-10')).toBe(true);
  });
});

describe('classifyTmuxFailure', () => {
  it.each([
    ['no server running on /tmp/s', 'no-server'],
    ['error connecting to /tmp/s (No such file or directory)', 'no-server'],
    ['server exited unexpectedly', 'no-server'],
    ["can't find session: x", 'no-session'],
    ["can't find window: x", 'no-window'],
    ["can't find pane: x", 'no-window'],
    ['no such window: =a:=b', 'no-window'],
    ['no current target', 'no-session'],
    ['duplicate session: x', 'duplicate-session'],
    ['no buffer orange-1', 'no-buffer'],
    ['something new', 'other'],
  ])('understands %j', (output, refusal) => {
    const failure = { kind: 'command-failed', program: 'tmux', action: '', exitCode: 1, output };
    expect(classifyTmuxFailure({ ...failure, kind: 'command-failed' })).toBe(refusal);
  });

  it('takes no other failure for a refusal of tmux', () => {
    expect(classifyTmuxFailure({ kind: 'program-missing', program: 'tmux' })).toBe('other');
  });
});

describe('isTurnedAway', () => {
  const refused = { kind: 'command-failed', program: 'tmux', action: '', exitCode: 1 } as const;

  it.each([
    ['server exited unexpectedly\n', true],
    ['server exited\n', true],
    ['no server running on /h/t.sock\n', false],
    ['error connecting to /h/t.sock (No such file or directory)\n', false],
    ['lost server\n', false],
  ])('F53 tells by %j whether a server closed the door: %s', (output, isShut) => {
    expect(isTurnedAway({ ...refused, output })).toBe(isShut);
    expect(isTurnedAway({ ...refused, program: 'git', output })).toBe(false);
  });
});
