import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endProcessTree } from '../../src/adapters/end-process-tree.js';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const FOREVER = 'while :; do sleep 0.2; done';
const DONE = { ok: true };

describe('ending', () => {
  it('touches only the window and the session that were named (F57)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER, { window: 'review-10' });
    await rig.sh(FOREVER, { window: 'worker' });
    await rig.sh(FOREVER, { session: 'demo/branch-2', taskId: 'tasktwo', window: 'worker' });
    await rig.sh(FOREVER, { session: 'demo/branch-2', taskId: 'tasktwo', window: 'worker2' });
    const place = { session: 'demo/branch', window: 'review-1' };
    expect(await rig.sessions.endWindow('taskone', place)).toEqual(DONE);
    expect(await rig.sessions.endSession('task', 'demo/branc')).toEqual(DONE);
    expect(await rig.sessions.list()).toMatchObject({
      value: [{ windows: ['review-10', 'worker'] }, { windows: ['worker', 'worker2'] }],
    });
    const worker = { session: 'demo/branch-2', window: 'worker' };
    expect(await rig.sessions.endWindow('tasktwo', worker)).toEqual(DONE);
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    expect(await rig.sessions.list()).toMatchObject({
      ok: true,
      value: [{ session: 'demo/branch-2', taskId: 'tasktwo', windows: ['worker2'] }],
    });
    expect(must(rig.records.read('tasktwo', 'worker2'))?.isAlive).toBe(true);
    expect(must(rig.records.read('tasktwo', 'worker'))?.isAlive).toBe(false);
  });

  it('leaves a session alone that carries another task’s tag', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const place = { session: 'demo/branch', window: 'worker' };
    expect(await rig.sessions.endSession('tasktwo', 'demo/branch')).toEqual(DONE);
    expect(await rig.sessions.endWindow('tasktwo', place)).toEqual(DONE);
    expect(must(rig.records.read('taskone', 'worker'))?.isAlive).toBe(true);
  });

  it('finds a session by its tag after somebody renamed it (F59)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    rig.tmux('rename-session', '-t', '=demo/branch:', 'my own name');
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    expect(await rig.sessions.list()).toEqual({ ok: true, value: [] });
  });

  it('is fine with what is not there', async () => {
    await using rig = createTmuxRig();
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    const place = { session: 'demo/branch', window: 'worker' };
    expect(await rig.sessions.endWindow('taskone', place)).toEqual(DONE);
  });

  it('ends an agent that ignores signals and children that fled its session (F42)', async () => {
    await using rig = createTmuxRig();
    const agent = await rig.sh(`
      trap '' HUP TERM INT
      setsid sh -c 'trap "" HUP TERM; echo $$ > ../fled; ${FOREVER}' &
      (setsid sh -c 'sh -c "echo \\$\\$ > ../twice; exec sleep 1000" &' &)
      env -i sh -c 'echo $$ > ../bare; exec sleep 1000' &
      ${FOREVER}`);
    const pids = [];
    for (const name of ['fled', 'twice', 'bare']) {
      await expect.poll(async () => (await rig.appears(name)).trim()).toMatch(/^\d+$/);
      pids.push(Number(rig.read(name)));
    }
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    for (const pid of [...pids, agent.pid]) expect(rig.processes.markOf(pid)).toBeNull();
    const marker = { name: 'ORANGE_TASK_ID', value: 'taskone' } as const;
    expect(must(await rig.processes.findMarked(marker))).toEqual([]);
  });

  it('F41 ends what shed environment and session while its parent lives', async () => {
    await using rig = createTmuxRig();
    await rig.sh(`env -i setsid sh -c 'echo $$ > ../shed; exec sleep 1000' & ${FOREVER}`);
    await expect.poll(async () => (await rig.appears('shed')).trim()).toMatch(/^\d+$/);
    const shed = Number(rig.read('shed'));
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    expect(rig.processes.markOf(shed)).toBeNull();
  });

  it('F41 ends what an agent that is gone left in its worktree, known by its session alone', async () => {
    await using rig = createTmuxRig();
    await rig.sh(`trap '' HUP; env -i sh -c 'echo $$ > ../left; exec sleep 1000' & exit 0`);
    await expect.poll(async () => (await rig.appears('left')).trim()).toMatch(/^\d+$/);
    const left = Number(rig.read('left'));
    const { pid } = await rig.ended('taskone', 'worker');
    await expect.poll(() => rig.processes.markOf(pid), { timeout: 20_000 }).toBeNull();
    expect(await rig.sessions.endSession('taskone', 'demo/branch')).toEqual(DONE);
    expect(rig.processes.markOf(left)).not.toBeNull();
    expect(await rig.sessions.endSession('taskone', 'demo/branch', rig.cwd)).toEqual(DONE);
    expect(rig.processes.markOf(left)).toBeNull();
  });

  it('F41 ends nobody in the worktree who is not known to be the agent’s', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const person = spawn('/bin/sleep', ['1000'], { cwd: rig.cwd, stdio: 'ignore' });
    const gone = once(person, 'exit');
    expect(await rig.sessions.endSession('taskone', 'demo/branch', rig.cwd)).toEqual(DONE);
    expect(rig.processes.markOf(person.pid ?? 0)).not.toBeNull();
    person.kill('SIGKILL');
    await gone;
  });

  it('ends what survived the death of the server', async () => {
    await using rig = createTmuxRig();
    await rig.sh(`trap '' HUP; echo ready > ../ready; ${FOREVER}`);
    await rig.appears('ready');
    process.kill(JSON.parse(rig.read('run/tmux-server.json')).pid, 'SIGKILL');
    const marker = { name: 'ORANGE_TASK_ID', value: 'taskone' } as const;
    expect(must(await rig.processes.findMarked(marker))).not.toEqual([]);
    const place = { session: 'demo/branch', window: 'worker' };
    expect(await rig.sessions.endWindow('taskone', place)).toEqual(DONE);
    expect(must(await rig.processes.findMarked(marker))).toEqual([]);
  });
});

describe('the process table', () => {
  it('takes a process that ended but was not reaped for dead', async () => {
    const processes = createProcessTable();
    // The parent never waits for its child.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 30']);
    const [chunk] = await once(parent.stdout, 'data');
    const pid = Number(String(chunk));
    await expect.poll(() => processes.isAlive({ pid, start: null })).toBe(false);
    expect(process.kill(pid, 0)).toBe(true);
    parent.kill('SIGKILL');
  });

  it('knows a process from another that got its number', () => {
    const processes = createProcessTable();
    const own = processes.markOf(process.pid);
    expect(own).not.toBeNull();
    expect(processes.isAlive({ pid: process.pid, start: own?.start ?? '' })).toBe(true);
    expect(processes.isAlive({ pid: process.pid, start: 'boot/1' })).toBe(false);
    processes.signal({ pid: process.pid, start: 'boot/1' }, 'SIGKILL');
    processes.signal({ pid: 0, start: null }, 'SIGKILL');
    processes.signal({ pid: -1, start: null }, 'SIGKILL');
  });

  it('does not take a task id in somebody’s own shell for an agent', async () => {
    const value = `shell${process.pid}`;
    const shell = spawn('/bin/sleep', ['30'], { env: { ORANGE_TASK_ID: value } });
    await once(shell, 'spawn');
    const marker = { name: 'ORANGE_TASK_ID', value } as const;
    expect(must(await createProcessTable().findMarked(marker))).toEqual([]);
    expect(must(await createProcessTable('/nowhere').findMarked(marker))).toEqual([]);
    shell.kill('SIGKILL');
  });

  it.each(['/proc', '/nowhere'])('finds and ends marked processes with %s', async (root) => {
    const processes = createProcessTable(root);
    const value = `mark${process.pid}${root.length}`;
    const env = { ORANGE_LAUNCH_ID: value, ORANGE_TASK_ID: `t${value}` };
    const child = spawn('/bin/sh', ['-c', 'trap "" TERM HUP; sleep 30'], { env });
    const other = spawn('/bin/sleep', ['30'], { env: { ORANGE_LAUNCH_ID: `${value}0` } });
    const gone = once(child, 'exit');
    const tree = { markers: [{ name: 'ORANGE_LAUNCH_ID', value }] as const, recorders: [] };
    await expect
      .poll(async () => must(await processes.findTree({ ...tree, known: [] })).length)
      .toBe(2);
    expect(
      must(await processes.findMarked({ name: 'ORANGE_TASK_ID', value: `t${value}` })),
    ).toHaveLength(2);
    expect(must(await endProcessTree(processes, tree, { known: [], graceMs: 100 }))).toEqual([]);
    await gone;
    expect(processes.isAlive({ pid: other.pid ?? 0, start: null })).toBe(true);
    other.kill('SIGKILL');
  });

  it('tells how many files a process may open', () => {
    const open = createProcessTable().openFiles(process.pid);
    expect(open?.used).toBeGreaterThan(2);
    expect(open?.limit).toBeGreaterThan(open?.used ?? 0);
    expect(createProcessTable().openFiles(0)).toBeNull();
  });
});
