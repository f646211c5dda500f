import { unlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { describe, expect, it } from 'vitest';
import { connectTmux } from '../../src/adapters/tmux-server.js';
import { createTmuxRig, type TmuxRig } from '../rigs/tmux-rig.js';

const FOREVER = 'while :; do sleep 0.2; done';
const SOON = { timeout: 30_000, interval: 20 };
const DAEMONS = 4;

/** The connection of a daemon that has just started. */
function connect(rig: TmuxRig) {
  const { control } = connectTmux(rig.parts);
  control.open({ onNotice: () => undefined, onState: () => undefined });
  return control;
}

describe('a server that does not answer', () => {
  it('F55 outlives daemons that come and go meanwhile, with all agents', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const pid = Number(rig.tmux('display-message', '-p', '#{pid}'));
    kill(pid, 'SIGSTOP');
    // tmux 3.3 crashes over two control clients that were gone before it let them in.
    await Promise.all(Array.from({ length: DAEMONS }, async () => connect(rig).close()));
    const last = connect(rig);
    kill(pid, 'SIGCONT');
    await expect.poll(() => last.state().state, SOON).toBe('connected');
    expect(rig.tmux('display-message', '-p', '#{pid}')).toBe(`${pid}\n`);
    expect(rig.records.read('taskone', 'worker')).toMatchObject({ value: { isAlive: true } });
    await last.close();
  });
});

describe('a server whose socket file is gone', () => {
  it('F54 gets no second one beside it by the first launch of a task', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER, { isFirst: true });
    const pid = rig.tmux('display-message', '-p', '#{pid}');
    unlinkSync(rig.socket);
    await rig.sh(FOREVER, { taskId: 'tasktwo', session: 'demo/two', isFirst: true });
    expect(rig.tmux('display-message', '-p', '#{pid}')).toBe(pid);
  });
});
