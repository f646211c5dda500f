import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LaunchGates } from '../../src/adapters/launch-gates.js';
import { writeLaunchOrder } from '../../src/adapters/launcher-script.js';
import { createSessions } from '../../src/adapters/tmux-sessions.js';
import { createTmuxRig, type TmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const PATIENT = { timeout: 10_000 };
const FOREVER = 'while :; do sleep 0.2; done';
const LAUNCH = { argv: ['/bin/sh', '-c', `echo run >> ../runs; ${FOREVER}`], isFirst: true };

/** A first launch has been made, after which there is a gate in store. */
async function stocked(rig: TmuxRig): Promise<void> {
  await rig.launch({ ...LAUNCH, argv: ['/bin/true'], taskId: 'taskzero', session: 'demo/zero' });
  await expect.poll(() => existsSync(rig.path('run/spare.gate')), PATIENT).toBe(true);
  await rig.ended('taskzero', 'worker');
  await expect.poll(() => rig.sessions.list(), PATIENT).toMatchObject({ value: [] });
}

/** The process in the window of the launch that is expected, once it waits at its gate. */
async function waiting(rig: TmuxRig): Promise<number> {
  await expect
    .poll(() => rig.sessions.list(), PATIENT)
    .toMatchObject({ value: [{ taskId: 'taskone' }] });
  return Number(rig.tmux('list-panes', '-t', '=demo/branch:', '-F', '#{pane_pid}'));
}

describe('a window that is opened ahead of its order', () => {
  it('waits for it, and is the window that the agent runs in', async () => {
    await using rig = createTmuxRig();
    await stocked(rig);
    const launch = rig.order(LAUNCH);
    rig.sessions.expect(launch);
    const launcher = await waiting(rig);
    expect(existsSync(rig.path('runs'))).toBe(false);
    expect(must(rig.records.list('taskone'))).toEqual([]);
    expect(await rig.sessions.launch(launch)).toMatchObject({ ok: true });
    await rig.appears('runs');
    expect(rig.read('runs')).toBe('run\n');
    expect(await waiting(rig)).toBe(launcher);
    expect(rig.tmux('capture-pane', '-p', '-t', '=demo/branch:').trim()).toBe('');
    expect(readdirSync(rig.path('run/taskone')).filter((name) => name.endsWith('.gate'))).toEqual(
      [],
    );
  });

  it('goes when its launch is given up', async () => {
    await using rig = createTmuxRig();
    await stocked(rig);
    const launch = rig.order(LAUNCH);
    rig.sessions.expect(launch);
    const launcher = await waiting(rig);
    expect(await rig.sessions.endWindow('taskone', launch)).toEqual({ ok: true });
    await expect.poll(() => rig.processes.markOf(launcher), PATIENT).toBeNull();
    expect(await rig.sessions.launch(launch)).toMatchObject({ ok: true });
    await rig.appears('runs');
    expect(rig.read('runs')).toBe('run\n');
  });

  it('is let in by the next daemon, whichever step the last one died at (F2, F3)', async () => {
    for (const step of ['opened', 'ordered', 'let in']) {
      await using rig = createTmuxRig();
      await stocked(rig);
      const launch = rig.order(LAUNCH);
      rig.sessions.expect(launch);
      await waiting(rig);
      if (step !== 'opened') await cutOff(rig, launch, step);
      expect(await createSessions(rig.parts).launch(launch), step).toMatchObject({ ok: true });
      await rig.appears('runs');
      expect(rig.read('runs')).toBe('run\n');
      expect(rig.tmux('list-windows', '-a').trim().split('\n')).toHaveLength(1);
    }
  });

  it('is opened with its order where no gate is in store', async () => {
    await using rig = createTmuxRig();
    const launch = rig.order(LAUNCH);
    rig.sessions.expect(launch);
    expect(await rig.sessions.launch(launch)).toMatchObject({ ok: true });
    await rig.appears('runs');
    expect(rig.read('runs')).toBe('run\n');
  });
});

describe('a launcher that is lost while it waits', () => {
  it.each(['its window', 'its server', 'the interrupt key'])(
    'by %s: another is started',
    async (how) => {
      await using rig = createTmuxRig();
      await stocked(rig);
      const launch = rig.order(LAUNCH);
      rig.sessions.expect(launch);
      await waiting(rig);
      const window = ['-t', '=demo/branch:=worker'];
      if (how === 'its window') rig.tmux('kill-window', ...window);
      else if (how === 'its server') rig.tmux('kill-server');
      else rig.tmux('send-keys', ...window, 'C-c');
      await expect.poll(() => rig.sessions.list(), PATIENT).toMatchObject({ value: [] });
      expect(await rig.sessions.launch(launch)).toMatchObject({ ok: true });
      await rig.appears('runs');
      expect(rig.read('runs')).toBe('run\n');
    },
  );
});

it('an order that nobody took is not given to the next launcher', async () => {
  await using rig = createTmuxRig();
  await stocked(rig);
  mkdirSync(rig.path('run/taskone'));
  const old = { ...rig.order({ argv: ['/bin/sh', '-c', 'echo old >> ../runs'] }), mask: 0o022 };
  rig.write('run/taskone/worker.launch', writeLaunchOrder(old));
  const launch = rig.order(LAUNCH);
  rig.sessions.expect(launch);
  await waiting(rig);
  expect(await createSessions(rig.parts).launch(launch)).toMatchObject({ ok: true });
  await rig.appears('runs');
  expect(rig.read('runs')).toBe('run\n');
});

it('no gate is built where something else stands in its place, and agents start all the same', async () => {
  await using rig = createTmuxRig();
  mkdirSync(rig.path('run/spare.gate'), { recursive: true });
  await rig.launch(LAUNCH);
  await expect.poll(() => lstatSync(rig.path('run/spare.gate')).isFIFO(), PATIENT).toBe(true);
});

/** Brings a launch as far as a daemon had that was killed. */
async function cutOff(
  rig: TmuxRig,
  launch: Parameters<TmuxRig['sessions']['launch']>[0],
  step: string,
): Promise<void> {
  rig.write('run/taskone/worker.launch', writeLaunchOrder({ ...launch, mask: 0o022 }));
  if (step === 'ordered') return;
  const gates = new LaunchGates(rig.runDir, {});
  gates.adopt('taskone', launch.launchId, rig.path('run/taskone/worker.gate'));
  gates.open('taskone');
}
