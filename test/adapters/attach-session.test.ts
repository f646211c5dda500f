import { execFileSync } from 'node:child_process';
import { readdirSync, unlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attachArguments, attachTerminal } from '../../src/adapters/attach-session.js';
import { describeFailure } from '../../src/domain/describe-failure.js';
import { InternalError } from '../../src/domain/failure.js';
import { runAttachedInPane } from '../rigs/attach-in-pane.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';

describe('attaching', () => {
  it('names exactly one session or window', () => {
    const common = ['-N', '-S', '/s', '-f', '/dev/null', 'attach-session', '-t'];
    expect(attachArguments({ socket: '/s', session: 'a/b' })).toEqual([...common, '=a/b:']);
    const window = attachArguments({ socket: '/s', session: 'a/b', window: 'review-1' });
    expect(window).toEqual([...common, '=a/b:=review-1']);
    expect(() => attachArguments({ socket: '/s', session: '' })).toThrow(InternalError);
  });

  it('works from inside one’s own tmux, shows the wanted window and how to leave', async () => {
    await using rig = createTmuxRig();
    await rig.sh('echo I am the worker; exec sleep 1000');
    await rig.sh('echo I am the reviewer; exec sleep 1000', { window: 'review-1' });
    await using human = await runAttachedInPane(rig, {
      session: 'demo/branch',
      window: 'review-1',
    });
    await expect.poll(() => human.screen()).toContain('I am the reviewer');
    expect(human.screen()).toContain('demo/branch');
    expect(human.screen()).toContain('Ctrl-b (twice in tmux) d');
  });

  it('F54 says what to do when tmux cannot connect, and what tmux said when it is something else', async () => {
    await using rig = createTmuxRig();
    await rig.sh('exec sleep 1000');
    const other = attachArguments({ socket: rig.socket, session: 'demo/other' });
    expect(await attachTerminal(other, process.env)).toMatchObject({
      failure: {
        kind: 'command-failed',
        program: 'tmux',
        output: "can't find session: demo/other",
      },
    });
    unlinkSync(rig.socket);
    const lost = await attachTerminal(other, process.env);
    expect(lost).toMatchObject({
      failure: { kind: 'terminals-unreachable', reason: expect.stringContaining(rig.socket) },
    });
    expect(lost.ok ? null : describeFailure(lost.failure).hint).toMatch(
      /^Try again .*orange doctor/,
    );
  });

  it('brings no server to life when there is none', async () => {
    await using rig = createTmuxRig();
    const argv = attachArguments({ socket: rig.socket, session: 'demo/branch' });
    expect(() => execFileSync('tmux', argv, { stdio: 'pipe' })).toThrow('error connecting');
    expect(readdirSync(rig.root)).toEqual(['work']);
  });
});
