import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { attachArguments, attachEnvironment } from '../../src/adapters/attach-session.js';
import type { AgentPlace } from '../../src/ports.js';
import type { TmuxRig } from './tmux-rig.js';

/** A person in a tmux of their own who has attached to an agent's window from inside it. */
export async function runAttachedInPane(rig: TmuxRig, place: AgentPlace) {
  const socket = rig.path('user.sock');
  const user = (...argv: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...argv], { encoding: 'utf8' });
  const attach = attachArguments({ socket: rig.socket, ...place });
  const command = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', 'tmux', ...attach];
  expect(attachEnvironment({ TMUX: 'x', TMUX_PANE: 'y', A: '1', B: undefined })).toEqual({
    A: '1',
  });
  user('new-session', '-d', '-s', 'own', '-x', '100', '-y', '30', '--', ...command);
  await expect
    .poll(() => rig.tmux('list-clients', '-F', '#{session_name}'))
    .toBe(`${place.session}\n`);
  return {
    press: (key: string) => user('send-keys', '-t', '=own:', key),
    screen: () => user('capture-pane', '-p', '-t', '=own:'),
    sessions: () => user('list-sessions', '-F', '#{session_name}'),
    async [Symbol.asyncDispose]() {
      user('kill-server');
    },
  };
}
