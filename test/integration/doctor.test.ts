import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProcesses, checkPool, isAlive, killDaemon, launchesAlive } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'idle' } } };

type Line = {
  readonly level: string;
  readonly check: string;
  readonly message: string;
  readonly fixable?: string;
  readonly pids?: readonly number[];
};

/** What the doctor finds out of place. */
async function findings(rig: Rig): Promise<readonly Line[]> {
  const lines = (await rig.orange('doctor', '--json')).json<readonly Line[]>();
  return lines.filter(({ fixable }) => fixable !== undefined);
}

describe('orange doctor', () => {
  it('F20 shows a pool file that is no longer one, and the daemon writes it anew by itself', async () => {
    await using rig = await createRig({ ...IDLE, settings: { reconcile_seconds: 1 } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const path = join(rig.home, 'workspaces', '.pool.json');
    const before = rig.read(path);
    await killDaemon(rig);
    writeFileSync(path, '[]');
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({ check: 'pool-file', fixable: 'safe' }),
    );
    expect(rig.read(path)).toBe('[]');
    await rig.must('doctor', '--fix', 'pool-file');
    expect(rig.read(path)).toBe(before);
    expect((await findings(rig)).map(({ check }) => check)).not.toContain('pool-file');
    await rig.must('daemon', 'start');
    writeFileSync(path, '');
    await rig.until('the pool file', () => rig.read(path) === before);
    checkPool(rig, [id]);
  });

  it('F34 puts back a status that was edited into the file of a finished task', async () => {
    await using rig = await createRig({ ...IDLE, settings: { reconcile_seconds: 1 } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.must('task', 'cancel', id, '--yes');
    await rig.waitForStatus(id, 'cancelled');
    const refused = () => rig.history(id).filter(({ type }) => type === 'frontmatter.rejected');
    const edit = (): void => {
      const text = rig.read(rig.taskFile(id));
      writeFileSync(rig.taskFile(id), text.replace('status: cancelled', 'status: working'));
    };
    edit();
    await rig.until('the status to be put back', () => refused().length === 1);
    expect(rig.read(rig.taskFile(id))).toContain('status: cancelled');
    await killDaemon(rig);
    edit();
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({
        check: 'history-status',
        remedy: 'Nothing leaves cancelled: the daemon puts it back: orange daemon start',
      }),
    );
    await rig.must('daemon', 'start');
    await rig.until('the status to be put back again', () => refused().length === 2);
    expect(refused()[1]).toMatchObject({ field: 'status', value: 'working', reason: 'terminal' });
    expect(rig.read(rig.taskFile(id))).toContain('status: cancelled');
    expect((await findings(rig)).map(({ check }) => check)).not.toContain('history-status');
  });

  it('ends the session of a task that is not known only when asked, with every process in it, and nothing else', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: 'setsid sh -c "trap : HUP TERM; while :; do sleep 1; done" & idle' },
      },
    });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('both processes', () => agentProcesses(id, 'worker').length > 1);
    await killDaemon(rig);
    // The record is lost: nobody knows this task any more.
    rmSync(rig.taskDir(id), { recursive: true });
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({ check: 'session-without-task', fixable: 'with-fix' }),
    );
    const refused = await rig.orange('doctor', '--fix', 'session-without-task');
    expect(refused.code).toBe(1);
    expect(agentProcesses(id, 'worker').length).toBeGreaterThan(1);
    await rig.must('doctor', '--fix', 'session-without-task', '--yes');
    expect(agentProcesses(id, 'worker')).toEqual([]);
    expect(rig.sessions()).toEqual([]);
    expect(isAlive(process.pid)).toBe(true);
    expect(existsSync(rig.workspace())).toBe(true);
  });

  it('F3 takes over an agent whose launch record was lost, and starts no second one', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'say start; idle' } } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('the agent', () => rig.said().length === 1);
    const [launch] = launchesAlive(id, 'worker');
    await killDaemon(rig);
    rmSync(join(rig.home, 'run', id), { recursive: true });
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({ check: 'launch-record', fixable: 'safe' }),
    );
    await rig.must('daemon', 'start');
    await rig.until('the record', () => existsSync(join(rig.home, 'run', id, 'worker.pid')));
    expect((await findings(rig)).map(({ check }) => check)).not.toContain('launch-record');
    expect(launchesAlive(id, 'worker')).toEqual([launch]);
    expect(rig.said()).toEqual(['start']);
    expect(rig.field(id, 'crash_count')).toBe('0');
  });

  it('F46 I7 frees a dirty worktree of nobody only when asked, with its content saved, and no other', async () => {
    await using rig = await createRig(IDLE);
    await rig.must('workspace', 'init');
    const own = join(rig.root, 'own');
    rig.git(rig.repository, 'worktree', 'add', '--quiet', '-b', 'mine', own);
    rig.write(join(own, 'mine.txt'), 'mine\n');
    rig.write(join(rig.workspace(), 'precious.txt'), 'precious\n');
    const stray = join(rig.home, 'workspaces', 'stray');
    rig.write(join(stray, 'note.txt'), 'not ours\n');
    const found = await findings(rig);
    expect(found.map(({ check, fixable }) => `${check} ${fixable ?? ''}`).toSorted()).toEqual([
      'worktree-without-task by-hand',
      'worktree-without-task with-fix',
    ]);
    const fix = ['doctor', '--fix', 'worktree-without-task', '--yes', '--json'];
    const report = (await rig.must(...fix)).json<{ done: { message: string }[] }>();
    const ref = /refs\/orange\/salvage\S+/.exec(report.done[0]?.message ?? '')?.[0] ?? 'none';
    expect(rig.git(rig.repository, 'show', `${ref}:precious.txt`)).toBe('precious');
    expect(existsSync(join(rig.workspace(), 'precious.txt'))).toBe(false);
    expect(rig.read(join(own, 'mine.txt'))).toBe('mine\n');
    expect(rig.git(own, 'branch', '--show-current')).toBe('mine');
    expect(rig.read(join(stray, 'note.txt'))).toBe('not ours\n');
  });

  it('F54 F24 says that the terminal server lost its socket, and that a dead daemon left its own', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'say start; idle' } } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await killDaemon(rig);
    rmSync(rig.socket);
    const checks = (await findings(rig)).map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['terminal-server', 'leftovers']));
    expect(checks).not.toContain('task-without-session');
    expect(existsSync(rig.socket)).toBe(false);
    await rig.must('doctor', '--fix', 'terminal-server');
    expect(existsSync(rig.socket)).toBe(true);
    await rig.must('daemon', 'start');
    await rig.until('one agent', () => launchesAlive(id, 'worker').length === 1);
    expect(rig.said()).toEqual(['start']);
  });

  it('F21 goes on with the last valid projects.json, names the line, and brings it back when asked', async () => {
    await using rig = await createRig(IDLE);
    const path = join(rig.home, 'projects.json');
    await rig.must('daemon', 'restart');
    await killDaemon(rig);
    const before: unknown = JSON.parse(rig.read(path));
    writeFileSync(path, '[\n  { "name": "shop",\n');
    await rig.must('daemon', 'start');
    const id = await rig.create('first', 'x', '--project', 'shop', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const found = (await findings(rig)).filter(({ check }) => check === 'projects-file');
    expect(found).toEqual([expect.objectContaining({ level: 'error', fixable: 'with-fix' })]);
    expect(found[0]?.message).toMatch(/projects\.json:\d+ /);
    await rig.must('doctor', '--fix', 'projects-file', '--yes');
    expect(JSON.parse(rig.read(path))).toEqual(before);
    expect(rig.read(`${path}.damaged`)).toContain('"shop"');
  });
});

describe('orange repair', () => {
  it.each(['with', 'without'])('F7 F20 %s a daemon brings derived files back once', async (how) => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const pool = join(rig.home, 'workspaces', '.pool.json');
    const before = rig.read(pool);
    if (how === 'without') await killDaemon(rig);
    appendFileSync(join(rig.taskDir(id), 'history.jsonl'), '{"type":"status.chan');
    writeFileSync(pool, '{"workspaces":');
    if (how === 'without') rmSync(join(rig.workspace(), 'TASK.md'));
    await rig.must('repair');
    expect(rig.read(pool)).toBe(before);
    expect(rig.history(id).map(({ type }) => type)).toContain('history.repaired');
    expect(rig.read(join(rig.workspace(), 'TASK.md'))).toContain(id);
    const [history, task] = [join(rig.taskDir(id), 'history.jsonl'), rig.taskFile(id)].map((path) =>
      rig.read(path),
    );
    const second = (await rig.must('repair', '--json')).json<{ done: unknown[] }>();
    expect(second.done).toEqual([]);
    expect(rig.read(join(rig.taskDir(id), 'history.jsonl'))).toBe(history);
    expect(rig.read(rig.taskFile(id))).toBe(task);
    checkPool(rig, [id]);
  });
});
