import { describe, expect, it } from 'vitest';
import { createLaunchRecords } from '../../src/adapters/launch-records.js';
import { createTmuxRig, type TmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';
import { success } from '../../src/domain/result.js';

const FOREVER = 'echo ready > ../ready; while :; do sleep 0.2; done';
const DEADLINE = { timeout: 20_000, interval: 10 };

function serverPid(rig: TmuxRig): number {
  return JSON.parse(rig.read('run/tmux-server.json')).pid;
}

/** Waits until the records judge the worker's end for good. */
async function judgedExit(rig: TmuxRig) {
  const read = () => must(rig.records.read('taskone', 'worker'));
  await expect
    .poll(() => read()?.exit !== null && read()?.isInDoubt === false, DEADLINE)
    .toBe(true);
  return read()?.exit;
}

describe('an agent whose server dies', () => {
  it('names its server in its start record', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const server = rig.processes.markOf(serverPid(rig));
    expect(server).not.toBeNull();
    expect(JSON.parse(rig.read('run/taskone/worker.pid'))).toMatchObject({ server });
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('of %s was interrupted (F53)', async (signal) => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    await rig.appears('ready');
    process.kill(serverPid(rig), signal);
    expect(await judgedExit(rig)).toMatchObject({ interruptedBy: 'server' });
  });

  it('was interrupted when somebody ended the server with kill-server', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    await rig.appears('ready');
    rig.tmux('kill-server');
    expect(await judgedExit(rig)).toMatchObject({ interruptedBy: 'server' });
  });

  it('was interrupted even if it lives on without its terminal', async () => {
    await using rig = createTmuxRig();
    await rig.sh(`trap '' HUP; ${FOREVER}`);
    await rig.appears('ready');
    process.kill(serverPid(rig), 'SIGKILL');
    const abandoned = { status: null, signal: null, interruptedBy: 'server' };
    await expect
      .poll(() => must(rig.records.read('taskone', 'worker')), DEADLINE)
      .toMatchObject({ isAlive: true, exit: abandoned, isInDoubt: true });
  });

  it('was interrupted by a reboot when the machine has another boot id (F11)', async () => {
    await using rig = createTmuxRig();
    const agent = await rig.sh(FOREVER);
    process.kill(agent.pid, 'SIGKILL');
    const { runDir, files } = rig;
    const processes = {
      isAlive: () => false,
      bootId: 'the-next-boot',
      findMarked: async () => success([]),
    };
    const records = createLaunchRecords({ runDir, files, processes });
    expect(must(records.read('taskone', 'worker'))).toMatchObject({
      isAlive: false,
      exit: { status: null, interruptedBy: 'reboot' },
      isInDoubt: false,
    });
  });
});

describe('an agent whose server lives on', () => {
  it('crashed with an unknown status when only its launcher was killed', async () => {
    await using rig = createTmuxRig();
    const agent = await rig.sh(FOREVER);
    process.kill(agent.pid, 'SIGKILL');
    const read = () => must(rig.records.read('taskone', 'worker'));
    await expect.poll(() => read()?.isAlive, DEADLINE).toBe(false);
    expect(read()).toMatchObject({ exit: { status: null, signal: null }, isInDoubt: true });
    expect(read()?.exit).not.toHaveProperty('interruptedBy');
  });

  it('crashed by the hang-up when somebody killed its window (F59)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    await rig.appears('ready');
    rig.tmux('kill-session', '-t', '=demo/branch:');
    const { exit } = await rig.ended('taskone', 'worker');
    expect(exit).toMatchObject({ status: 129, signal: 'SIGHUP' });
    expect(exit).not.toHaveProperty('interruptedBy');
  });
});
