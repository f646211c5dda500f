import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runAttachedInPane } from '../rigs/attach-in-pane.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';

const DEADLINE = { timeout: 20_000 };

it('rings in the terminal of somebody who is attached, and shows the words as they are', async () => {
  await using rig = createTmuxRig();
  const agent = await rig.sh('while :; do sleep 1; done');
  await using person = await runAttachedInPane(rig, agent);
  const user = (...argv: readonly string[]): string =>
    execFileSync('tmux', ['-S', rig.path('user.sock'), ...argv], { encoding: 'utf8' });
  // A terminal that rings for a pane nobody looks at remembers it.
  user('new-window', '-d', '-t', 'own:', 'sleep 1000');
  await rig.sessions.alertClients('shop/dark-mode: #(id) %H asks $(id)');
  await expect.poll(() => person.screen(), DEADLINE).toContain('#(id) %H asks $(id)');
  await expect
    .poll(() => user('list-windows', '-t', 'own', '-F', '#{window_bell_flag}'), DEADLINE)
    .toContain('1');
});

it('does nothing where nobody is attached, and where there is no server', async () => {
  await using rig = createTmuxRig();
  await expect(rig.sessions.alertClients('hello')).resolves.toBeUndefined();
  await rig.sh('while :; do sleep 1; done');
  await expect(rig.sessions.alertClients('hello')).resolves.toBeUndefined();
});
