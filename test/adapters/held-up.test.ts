import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/adapters/run-command.js';
import { createSessions } from '../../src/adapters/tmux-sessions.js';
import type { Files } from '../../src/ports.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const FOREVER = 'exec sleep 1000';

/** Keeps this process from everything, as a stop or an overloaded machine does. */
function holdUp(ms: number): void {
  const untilMs = performance.now() + ms;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  while (performance.now() < untilMs);
}

describe('a daemon that was held up', () => {
  it('F9 does not take a launcher for dead that has long given its sign', async () => {
    await using rig = createTmuxRig();
    let isHeldUp = false;
    const readText: Files['readText'] = (path, ...limits) => {
      if (path.endsWith('.exit') && !isHeldUp) {
        isHeldUp = true;
        holdUp(5500);
      }
      const isTooEarly = path.endsWith('.pid') && !isHeldUp;
      return rig.files.readText(isTooEarly ? `${path}-none` : path, ...limits);
    };
    const sessions = createSessions({ ...rig.parts, files: { ...rig.files, readText } });
    const order = rig.order({ argv: ['/bin/sh', '-c', FOREVER] });
    expect(await sessions.launch(order)).toMatchObject({ ok: true });
    expect(isHeldUp).toBe(true);
    expect(must(rig.records.read('taskone', 'worker'))).toMatchObject({ isAlive: true });
  });

  it('F9 does not take a terminal server for hung that has long answered', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    rig.sessions.events.follow({
      onWindowClosed: () => undefined,
      onRenamed: () => undefined,
      onState: () => undefined,
    });
    await expect.poll(() => rig.sessions.events.state().state).toBe('connected');
    const asked = Array.from({ length: 20 }, () => rig.sessions.list());
    holdUp(5500);
    for (const answer of await Promise.all(asked)) expect(answer.ok).toBe(true);
    expect(rig.sessions.events.state().state).toBe('connected');
  });

  it('does not take a command for slow that has long ended', async () => {
    await using rig = createTmuxRig();
    const script = `: > ${rig.path('begun')}; sleep 0.2; echo done`;
    const running = runCommand({ program: '/bin/sh', argv: ['-c', script], timeoutMs: 500 });
    await rig.appears('begun');
    await nextTurn();
    holdUp(1000);
    expect(await running).toMatchObject({ ok: true, value: { stdout: 'done\n' } });
  });
});
