import { existsSync, lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'idle' } } };

type Task = { id: string; status: string; workspace: string | null };

describe('the files of a home', () => {
  it('ORA-1 ORA-2 ORA-5 ORA-6 ORA-7 ORA-8 ORA-9 ORA-21 are where the seed puts them', async () => {
    await using rig = await createRig(IDLE);
    rmSync(join(rig.home, 'projects.json'));
    await rig.must('project', 'add', rig.repository);
    const projects = JSON.parse(rig.read(join(rig.home, 'projects.json')));
    expect(projects).toEqual([
      { name: 'shop', path: rig.repository, default_branch: 'main', pool_size: expect.any(Number) },
    ]);
    const id = await rig.create('first', 'x', ...PLAIN, '--no-spawn');
    expect(id).toMatch(/^[0-9A-Za-z]{21}$/);
    expect(readdirSync(rig.taskDir(id)).toSorted()).toEqual(['TASK.md', 'history.jsonl']);
    expect(rig.field(id, 'id')).toBe(id);
    await rig.must('task', 'spawn', id);
    const worktrees = rig.git(rig.repository, 'worktree', 'list', '--porcelain');
    expect(worktrees).toContain(`worktree ${rig.home}/workspaces/shop--1\n`);
    expect(existsSync(join(rig.home, 'workspaces', '.pool.json'))).toBe(true);
    expect(lstatSync(join(rig.home, 'orange.log')).isSymbolicLink()).toBe(true);
    expect(
      readdirSync(rig.home)
        .filter((name) => !name.startsWith('orange.'))
        .toSorted(),
    ).toEqual(['.format.json', 'config.yaml', 'projects.json', 'run', 'tasks', 'workspaces']);
  });

  it('ORA-1 are in ~/orange when ORANGE_HOME says nothing', async () => {
    await using rig = await createRig();
    const status = await rig.run(['daemon', 'status', '--json'], { env: { ORANGE_HOME: '' } });
    expect(status.json()).toMatchObject({ running: false, home: join(rig.root, 'orange') });
  });

  it('can be read and written by their owner alone', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('private', 'x', ...PLAIN);
    expect(mode(join(rig.home, 'run'))).toBe('700');
    expect(mode(join(rig.home, 'run', 'daemon.sock'))).toBe('600');
    expect(mode(rig.taskFile(id))).toBe('600');
    expect(mode(join(rig.taskDir(id), 'history.jsonl'))).toBe('600');
    expect(mode(join(rig.home, 'workspaces', '.pool.json'))).toBe('600');
  });

  it('ORA-10 ORA-11 that are derived may be deleted: the list, the statuses and the bindings stay', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: `add Plan 'TOUCHING: a'; idle` }, calm: { worker: 'idle' } },
      poolSize: 3,
    });
    const working = await rig.create('working', 'x', ...PLAIN);
    const planning = await rig.create('planning', 'y', '--harness', 'calm');
    const gone = await rig.create('gone', 'z', '--harness', 'calm');
    const held = await rig.create('held', 'z', '--harness', 'calm', '--no-spawn');
    await rig.must('task', 'cancel', gone, '--yes');
    await rig.waitForStatus(working, 'working');
    const before = await everything(rig);
    await rig.must('daemon', 'stop');
    rmSync(join(rig.home, 'workspaces', '.pool.json'));
    rmSync(join(rig.home, 'run', 'outbox'), { recursive: true, force: true });
    for (const name of readdirSync(rig.home).filter((each) => each.startsWith('orange.')))
      rmSync(join(rig.home, name));
    expect(await tasksOf(rig)).toEqual(before.tasks);
    await rig.must('daemon', 'start');
    await rig.until('the pool file', () => existsSync(join(rig.home, 'workspaces', '.pool.json')));
    expect(await everything(rig)).toEqual(before);
    expect(before.tasks.map(({ id, status }) => [id, status])).toEqual([
      [working, 'working'],
      [planning, 'planning'],
      [gone, 'cancelled'],
      [held, 'pending'],
    ]);
    for (const id of [working, planning]) {
      expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
    }
  });

  it('ORA-10 TASK.md wins over a pool file that says otherwise', async () => {
    await using rig = await createRig({ ...IDLE, poolSize: 2 });
    const id = await rig.create('true', 'x', ...PLAIN);
    await rig.must('daemon', 'stop');
    const lies = {
      workspaces: {
        'shop--1': { status: 'available' },
        'shop--2': { status: 'bound', task: 'shop/nobody' },
      },
    };
    writeFileSync(join(rig.home, 'workspaces', '.pool.json'), JSON.stringify(lies));
    const other = await rig.create('other', 'y', ...PLAIN);
    expect(rig.field(id, 'workspace')).toBe('shop--1');
    expect(rig.field(other, 'workspace')).toBe('shop--2');
    expect(rig.pool()).toMatchObject({
      'shop--1': { status: 'bound', task: 'shop/true' },
      'shop--2': { status: 'bound', task: 'shop/other' },
    });
  });

  it.each(['', '[]', '{"workspaces":', '{"workspaces":{"shop--1":{"status":"bound"}}}'])(
    'a damaged pool file (%j) is rebuilt',
    async (text) => {
      await using rig = await createRig({ ...IDLE, poolSize: 2 });
      await rig.create('bound', 'x', ...PLAIN);
      const pool = rig.pool();
      await rig.must('daemon', 'stop');
      writeFileSync(join(rig.home, 'workspaces', '.pool.json'), text);
      await rig.must('daemon', 'start');
      await rig.until('the pool', () => isSame(rig, pool));
    },
  );

  it('ORA-90 ORA-91 ORA-92 ORA-93 ORA-94 the pool file has the seed’s shape', async () => {
    await using rig = await createRig({ ...IDLE, poolSize: 2 });
    const first = await rig.create('dark-mode', 'x', ...PLAIN);
    const second = await rig.create('light-mode', 'x', ...PLAIN);
    await rig.must('task', 'cancel', second, '--yes');
    const file = JSON.parse(rig.read(join(rig.home, 'workspaces', '.pool.json')));
    expect(Object.keys(file)).toEqual(['workspaces']);
    expect(file.workspaces).toEqual({
      'shop--1': { status: 'bound', task: 'shop/dark-mode', task_id: first },
      'shop--2': { status: 'available' },
    });
    const rows = (await rig.must('workspace', 'list', '--json')).json<
      { workspace: string; status: string }[]
    >();
    expect(rows.map(({ workspace, status }) => [workspace, status])).toEqual([
      ['shop--1', 'bound'],
      ['shop--2', 'available'],
    ]);
    await rig.must('task', 'update', first, '--branch', 'night-mode');
    expect(rig.pool()['shop--1']).toMatchObject({ task: 'shop/night-mode' });
    expect(rig.git(rig.workspace(), 'symbolic-ref', '--short', 'HEAD')).toBe('night-mode');
  });

  it('workspace init fills the pool, and gc drops what is not wanted any more', async () => {
    await using rig = await createRig({ ...IDLE, poolSize: 2 });
    await rig.must('workspace', 'init', '--project', 'shop');
    expect(rig.pool()).toEqual({
      'shop--1': { status: 'available' },
      'shop--2': { status: 'available' },
    });
    expect(rig.git(rig.repository, 'worktree', 'list').split('\n')).toHaveLength(3);
    await rig.must('project', 'update', 'shop', '--pool-size', '1');
    await rig.must('workspace', 'gc');
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
    expect(rig.git(rig.repository, 'worktree', 'list').split('\n')).toHaveLength(2);
    await rig.must('daemon', 'stop');
    rmSync(join(rig.home, 'workspaces', '.pool.json'));
    await rig.must('daemon', 'start');
    expect(rig.pool(), 'what is on disk is taken in').toEqual({
      'shop--1': { status: 'available' },
    });
  });

  it('ORA-89 ORA-80 ORA-81 histories of other versions are read', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('old', 'x', ...PLAIN, '--no-spawn');
    await rig.must('daemon', 'stop');
    const rows = [
      {
        type: 'task.created',
        timestamp: '2026-01-01T00:00:00Z',
        task_id: id,
        project: 'shop',
        branch: 'old',
      },
      { type: 'status.changed', timestamp: '2026-01-01T00:00:01Z', from: 'pending', to: 'working' },
      { type: 'of.the.future', timestamp: '2026-01-01T00:00:02Z', anything: [1] },
    ];
    writeFileSync(
      join(rig.taskDir(id), 'history.jsonl'),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    writeFileSync(
      rig.taskFile(id),
      rig
        .read(rig.taskFile(id))
        .replace('status: pending', 'status: working')
        .replace('hold: not spawned\n', ''),
    );
    await rig.must('daemon', 'start');
    const shown = (await rig.must('task', 'show', id, '--json')).json<{
      status: string;
      history: { type: string }[];
    }>();
    expect(shown.status).toBe('working');
    expect(shown.history.slice(0, 3)).toEqual(rows);
  });
});

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

async function tasksOf(rig: Rig): Promise<readonly Task[]> {
  return (await rig.must('task', 'list', '--all', '--json')).json<Task[]>();
}

async function everything(rig: Rig) {
  return { tasks: await tasksOf(rig), pool: rig.pool(), sessions: rig.sessions() };
}

function isSame(rig: Rig, pool: unknown): boolean {
  try {
    return JSON.stringify(rig.pool()) === JSON.stringify(pool);
  } catch {
    return false;
  }
}
