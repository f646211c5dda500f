import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agentProcesses, checkPool, environmentOf, isAlive } from './daemon-checks.js';
import { createRig, type Event, type Rig, type RigOptions } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const SLEEP = 'exec sleep 600';
const STAYS = `setsid sh -c "trap '' HUP TERM; ${SLEEP}" &`;
/** Its agent is not started again by itself, so what it leaves is left. */
const ALONE = { policy: { auto_respawn: false } };
/** Looks around every second, and ever less often while nothing changes. */
const WATCHFUL = { settings: { reconcile_seconds: 1 } };

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

type Line = {
  readonly check: string;
  readonly message: string;
  readonly fixable?: string;
  readonly pids?: readonly number[];
};

/** What the doctor finds out of place, of one class. */
async function findingsOf(rig: Rig, check: string): Promise<readonly Line[]> {
  const lines = (await rig.orange('doctor', '--json')).json<readonly Line[]>();
  return lines.filter((line) => line.check === check && line.fixable !== undefined);
}

/** Shown, refused to somebody who does not agree, then mended: the way of what is asked for first. */
async function mendAfterAsking(rig: Rig, check: string, isLeft: () => boolean): Promise<Line> {
  const [found, ...others] = await findingsOf(rig, check);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ fixable: 'with-fix' });
  const refused = await rig.orange('doctor', '--fix', check);
  expect([refused.code, isLeft()], refused.stderr).toEqual([1, true]);
  await rig.must('doctor', '--fix', check, '--yes');
  expect(await findingsOf(rig, check)).toEqual([]);
  return found ?? { check, message: '' };
}

/** A task in planning whose agent has said `up`. */
async function planning(rig: Rig, branch = 'first'): Promise<string> {
  const id = await rig.create(branch, 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await rig.until('the agent', () => rig.said().includes(`up ${branch}`));
  return id;
}

function withWorker(worker: string, more: RigOptions = {}): RigOptions {
  return { ...more, agents: { plain: { worker: `say "up $ORANGE_BRANCH"; ${worker}` } } };
}

/** A process with the marks of an agent of this task and home, which no terminal knows. */
function spawnMarked(rig: Rig, taskId: string): number {
  const marks = { ORANGE_TASK_ID: taskId, ORANGE_ROLE: 'worker', ORANGE_LAUNCH_ID: 'an-old-one' };
  const child = spawn('sleep', ['600'], { env: { ...rig.env, ...marks }, stdio: 'ignore' });
  children.push(child);
  return child.pid ?? 0;
}

const mended = (rig: Rig, id: string): readonly string[] =>
  rig.history(id).flatMap(({ type }) => (type.startsWith('mend.') ? [type] : []));

describe('orphan-process', () => {
  it('F42 what fled an agent that has ended is ended when somebody agrees, and nothing else', async () => {
    await using rig = await createRig(
      withWorker(
        `[ "$ORANGE_BRANCH" = first ] || ${SLEEP}\n${STAYS} await_go first; exit 3`,
        ALONE,
      ),
    );
    const id = await planning(rig);
    const other = await planning(rig, 'other');
    rig.go('first');
    await rig.waitForEvent(id, ({ type }) => type === 'agent.crashed');
    const left = agentProcesses(id, 'worker').map(({ pid }) => pid);
    expect(left.length).toBeGreaterThan(0);
    const around = agentProcesses(other, 'worker').map(({ pid }) => pid);
    const found = await mendAfterAsking(rig, 'orphan-process', () => left.every(isAlive));
    expect(new Set(found.pids)).toEqual(new Set(left));
    expect(found.message).toContain('shop/first outlived the agent that started it');
    expect(left.filter(isAlive)).toEqual([]);
    expect(around.filter(isAlive)).toEqual(around);
    expect(mended(rig, id)).toEqual(['mend.orphan-process']);
  });

  it('I7 of a task that is over is ended by the daemon, and none of another home', async () => {
    await using rig = await createRig(withWorker(SLEEP, WATCHFUL));
    const id = await planning(rig);
    await rig.must('task', 'cancel', id, '--yes');
    const pid = spawnMarked(rig, id);
    const elsewhere = spawnMarked({ ...rig, env: { ...rig.env, ORANGE_HOME: rig.root } }, id);
    await rig.until('the mend', () => mended(rig, id).includes('mend.orphan-process'), 60_000);
    expect([isAlive(pid), isAlive(elsewhere)]).toEqual([false, true]);
  });

  it('of an earlier start beside the present one is ended by the daemon, that one stays', async () => {
    await using rig = await createRig(withWorker(SLEEP, WATCHFUL));
    const id = await planning(rig);
    const agent = agentProcesses(id, 'worker').map(({ pid }) => pid);
    const pid = spawnMarked(rig, id);
    await rig.until('the mend', () => mended(rig, id).includes('mend.orphan-process'), 60_000);
    expect(isAlive(pid)).toBe(false);
    expect(agent.filter(isAlive)).toEqual(agent);
  });
});

const isEnd = ({ type }: Event): boolean =>
  type === 'agent.interrupted' || type === 'agent.crashed';

async function nextAgent(rig: Rig, id: string, before: string): Promise<void> {
  const end = await rig.waitForEvent(id, isEnd);
  expect(end).toMatchObject({ type: 'agent.interrupted', cause: 'window', status: 'planning' });
  await rig.until('the next agent', () => rig.said().length === 4);
  expect([isAlive(Number(before)), rig.field(id, 'crash_count')]).toEqual([false, '0']);
  await rig.until('the mend', () => mended(rig, id).length > 0);
  expect(mended(rig, id)).toEqual(['mend.orphan-process']);
  const spawned = (): number =>
    rig.history(id).filter(({ type }) => type === 'agent.spawned').length;
  await rig.until('the start of the next', () => spawned() === 2);
}

describe('an agent that has lost its window', () => {
  it('F42 F59 and does not hear that it was hung up is ended by the daemon, not blamed, and started again', async () => {
    await using rig = await createRig(
      withWorker(`trap '' HUP TERM; say "$$"; while :; do sleep 0.1; done`),
    );
    const id = await planning(rig);
    await rig.until('its pid', () => rig.said().length === 2);
    rig.tmux('kill-session', '-t', '=shop/first:');
    await nextAgent(rig, id, rig.said()[1] ?? '');
  });

  it('F42 F59 and still has a terminal is ended only when somebody agrees, and not blamed', async () => {
    await using rig = await createRig(withWorker(`say "$$"; ${SLEEP}`));
    const id = await planning(rig);
    await rig.until('its pid', () => rig.said().length === 2);
    const [, pid = ''] = rig.said();
    rig.tmux('set-option', '-wu', '-t', '=shop/first:worker', '@orange_launch');
    await mendAfterAsking(rig, 'orphan-process', () => isAlive(Number(pid)));
    await nextAgent(rig, id, pid);
  });
});

describe('zombie-session', () => {
  it('of a task that is over is ended by the daemon, and no session beside it', async () => {
    await using rig = await createRig(withWorker(SLEEP, WATCHFUL));
    const id = await planning(rig);
    await rig.must('task', 'cancel', id, '--yes');
    rig.tmux('new-session', '-d', '-s', 'mine', 'sleep 600');
    rig.tmux(
      'new-session',
      '-d',
      '-s',
      'shop/first',
      'sleep 600',
      ';',
      'set-option',
      '-t',
      '=shop/first:',
      '@orange_task',
      id,
    );
    expect(rig.sessions().toSorted()).toEqual(['mine', 'shop/first']);
    await rig.until('the end of the session', () => rig.sessions().length === 1, 60_000);
    expect(rig.sessions()).toEqual(['mine']);
    await rig.until('the event', () => mended(rig, id).includes('mend.zombie-session'));
  });

  it('in which only a window of a person is left is ended when somebody agrees', async () => {
    await using rig = await createRig(withWorker('await_go first; exit 3', ALONE));
    const id = await planning(rig);
    rig.tmux('new-window', '-d', '-t', '=shop/first:', 'sleep 600');
    rig.go('first');
    await rig.waitForEvent(id, ({ type }) => type === 'agent.crashed');
    const isThere = (): boolean => rig.sessions().includes('shop/first');
    const found = await mendAfterAsking(rig, 'zombie-session', isThere);
    expect(found.message).toContain('session shop/first of shop/first has no agent any more');
    expect(rig.sessions()).toEqual([]);
  });
});

describe('task-without-session', () => {
  it('an agent that is missing is started again when somebody agrees', async () => {
    await using rig = await createRig(withWorker(`say "$$"; ${SLEEP}`, ALONE));
    const id = await planning(rig);
    await rig.until('its pid', () => rig.said().length === 2);
    const [, pid] = rig.said();
    process.kill(Number(pid), 'SIGKILL');
    await rig.waitForEvent(id, ({ type }) => type === 'agent.crashed');
    await mendAfterAsking(rig, 'task-without-session', () => rig.said().length === 2);
    await rig.until('the agent', () => rig.said().length === 4);
    expect(environmentOf(rig.said()[3] ?? '').get('ORANGE_TASK_ID')).toBe(id);
    expect(rig.field(id, 'status')).toBe('planning');
    expect(mended(rig, id)).toEqual(['mend.task-without-session']);
  });
});

describe('git-lock', () => {
  it('F45 that a dead git left in an idle worktree is removed by the daemon, one beside an agent when somebody agrees', async () => {
    await using rig = await createRig(withWorker(SLEEP, WATCHFUL));
    const id = await planning(rig);
    await rig.must('workspace', 'init');
    const [idle, used] = [lockIn(rig, 'shop--2'), lockIn(rig, 'shop--1')];
    for (const lock of [idle, used]) leaveLock(lock);
    await rig.until('the end of the lock', () => !existsSync(idle), 60_000);
    expect(existsSync(used)).toBe(true);
    await mendAfterAsking(rig, 'git-lock', () => existsSync(used));
    expect(existsSync(used)).toBe(false);
    expect(mended(rig, id)).toEqual(['mend.git-lock']);
    rig.git(rig.workspace(), 'add', '--all');
  });
});

describe('an idle worktree that was deleted', () => {
  it('F46 is made again by the daemon, and one that no pool counts on is forgotten by git', async () => {
    await using rig = await createRig(withWorker(SLEEP, WATCHFUL));
    const id = await planning(rig);
    await rig.must('workspace', 'init');
    const extra = rig.workspace('shop--9');
    rig.git(rig.repository, 'worktree', 'add', '--quiet', '--detach', extra);
    for (const path of [extra, rig.workspace('shop--2')]) rmSync(path, { recursive: true });
    const listed = (): string => rig.git(rig.repository, 'worktree', 'list', '--porcelain');
    await rig.until(
      'the worktree',
      () => existsSync(join(rig.workspace('shop--2'), '.git')),
      60_000,
    );
    await rig.until('the record to go', () => !listed().includes('shop--9'), 60_000);
    checkPool(rig, [id]);
  });
});

function lockIn(rig: Rig, workspace: string): string {
  const directory = rig.git(rig.workspace(workspace), 'rev-parse', '--absolute-git-dir');
  return join(directory, 'index.lock');
}

/** As a git leaves it that was killed a while ago. */
function leaveLock(path: string): void {
  writeFileSync(path, '');
  const then = new Date(Date.now() - 60_000);
  utimesSync(path, then, then);
}
