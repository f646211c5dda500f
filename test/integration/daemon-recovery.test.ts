import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StartAgent } from '../../src/domain/effect.js';
import { takePicture } from '../adapters/git/picture.js';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
import {
  agentProcesses,
  checkAgents,
  checkPool,
  checkTask,
  killDaemon,
  launchesAlive,
  movesOf,
  outboxOf,
} from './daemon-checks.js';
import { leaveWork } from './leave-work.js';
import { createRig, type Rig } from './orange-rig.js';
import { ID, LATER, moveEvent, setFields, writeIntent } from './write-intent.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE_AGENT = { plain: { worker: 'say start; idle' } };
const STEADY = { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } };
function startOf(id: string, change: Partial<StartAgent> = {}): StartAgent {
  return {
    kind: 'start-agent',
    taskId: id,
    role: 'worker',
    window: 'worker',
    launchId: 'worker-before',
    workspace: 'shop--1',
    session: 'shop/first',
    needsBinding: true,
    isResuming: false,
    message: null,
    ...change,
  };
}

async function restart(rig: Rig): Promise<void> {
  await killDaemon(rig);
  await rig.must('daemon', 'start');
  await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
}

describe('a daemon that was killed while it recorded a move', () => {
  it('F1 drops the move when TASK.md was not replaced yet', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    const before = rig.history(id);
    writeIntent(rig, { taskId: id, commit: LATER, events: [moveEvent('pending', 'cancelled')] });
    await restart(rig);
    expect(rig.field(id, 'status')).toBe('pending');
    expect(rig.history(id)).toEqual(before);
  });

  it('F1 completes the history once when TASK.md was replaced', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    const entry = { taskId: id, commit: LATER, events: [moveEvent('pending', 'cancelled')] };
    setFields(rig, id, { status: 'cancelled', updated_at: LATER });
    writeIntent(rig, entry);
    await restart(rig);
    writeIntent(rig, entry);
    await restart(rig);
    expect(rig.field(id, 'status')).toBe('cancelled');
    expect(movesOf(rig.history(id))).toEqual(['pending → cancelled']);
    checkTask(rig, id);
  });

  it('F2 F3 starts the agent that was promised, and only once however often the promise is found', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    writeIntent(rig, { taskId: id, effects: [startOf(id)] });
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'planning');
    for (let round = 0; round < 2; round += 1) {
      await killDaemon(rig);
      writeIntent(rig, { taskId: id, effects: [startOf(id)] });
      await restart(rig);
    }
    expect(launchesAlive(id, 'worker')).toEqual(['worker-before']);
    expect(rig.said()).toEqual(['start']);
    expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
    checkTask(rig, id);
    checkPool(rig, [id]);
  });

  it('does not end an agent that it had just started anew', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const [launchId = ''] = launchesAlive(id, 'worker');
    await killDaemon(rig);
    const session = rig.field(id, 'tmux_session') ?? '';
    const end = { kind: 'end-window', taskId: id, session, window: 'worker' } as const;
    writeIntent(rig, {
      taskId: id,
      effects: [end, startOf(id, { launchId, session, needsBinding: false })],
    });
    await restart(rig);
    expect(launchesAlive(id, 'worker')).toEqual([launchId]);
    expect(rig.said()).toEqual(['start']);
  });

  it('F5 frees the worktree of a task that ended, clean and with nothing lost', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    leaveWork(rig);
    const before = takePicture(rig, rig.workspace());
    await killDaemon(rig);
    setFields(rig, id, { status: 'cancelled', updated_at: LATER });
    const session = rig.field(id, 'tmux_session');
    writeIntent(rig, {
      taskId: id,
      commit: LATER,
      events: [moveEvent('planning', 'cancelled')],
      effects: [
        {
          kind: 'release-workspace',
          taskId: id,
          session,
          workspace: 'shop--1',
          deleteBranch: false,
        },
      ],
    });
    await restart(rig);
    expect(rig.field(id, 'workspace')).toBe('null');
    expect(agentProcesses(id, 'worker')).toEqual([]);
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
    expect(rig.git(rig.workspace(), 'status', '--porcelain', '--ignored')).toBe('');
    expect(rig.git(rig.workspace(), 'branch', '--show-current')).toBe('');
    expect(existsSync(join(rig.workspace(), 'TASK.md'))).toBe(false);
    expect(rig.git(rig.workspace(), 'rev-parse', 'HEAD')).toBe(
      rig.git(rig.repository, 'rev-parse', 'main'),
    );
    const back = join(rig.root, 'back');
    await rig.must('salvage', 'restore', id, '--into', back);
    expect(takePicture(rig, back)).toEqual(before);
    checkTask(rig, id);
  });

  it('F5 cleans no worktree that another task has got since', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, poolSize: 1 });
    const first = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(first, 'planning');
    await rig.must('task', 'cancel', first, '--yes');
    const second = await rig.create('second', 'x', ...PLAIN);
    await rig.waitForStatus(second, 'planning');
    rig.write(join(rig.workspace(), 'unsaved.txt'), 'precious\n');
    const [launchId] = launchesAlive(second, 'worker');
    await killDaemon(rig);
    writeIntent(rig, {
      taskId: first,
      effects: [
        {
          kind: 'release-workspace',
          taskId: first,
          session: 'shop/first',
          workspace: 'shop--1',
          deleteBranch: false,
        },
      ],
    });
    await restart(rig);
    expect(rig.read(join(rig.workspace(), 'unsaved.txt'))).toBe('precious\n');
    expect(rig.git(rig.workspace(), 'branch', '--show-current')).toBe('second');
    expect(launchesAlive(second, 'worker')).toEqual([launchId]);
    checkPool(rig, [first, second]);
  });

  it('merges what was to be merged, once', async () => {
    await using rig = await createRig({ agents: STEADY });
    const id = await rig.create('first', 'Add it', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const merge = {
      kind: 'merge-branch',
      askedBy: 'human',
      taskId: id,
      strategy: 'squash',
      push: false,
      message: null,
      heads: 'as-reviewed',
    } as const;
    for (let round = 0; round < 2; round += 1) {
      await killDaemon(rig);
      writeIntent(rig, { taskId: id, effects: [merge] });
      await rig.must('daemon', 'start');
      await rig.waitForStatus(id, 'done');
      await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
    }
    const log = rig.git(rig.repository, 'log', '--format=%s', 'main').split('\n');
    expect(log).toEqual(['Add it', 'Start']);
    expect(rig.history(id).filter(({ type }) => type === 'task.merged')).toHaveLength(1);
    checkTask(rig, id);
    checkPool(rig, [id]);
  });

  it('leaves an intent alone that it cannot read, says so and goes on', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    const damaged = join(rig.home, 'run', 'outbox', '000000000001.json');
    rig.write(damaged, '{"seq":1,\n');
    await rig.must('task', 'update', id, '--summary', 'After');
    expect(rig.field(id, 'summary')).toBe('After');
    expect(rig.read(damaged)).toBe('{"seq":1,\n');
    const listed = await rig.must('task', 'list');
    expect(`${listed.stdout}${listed.stderr}`).toContain('1 file needs attention');
    expect((await rig.orange('doctor')).stdout).toContain(damaged);
  });
});

describe('a daemon that was killed while it created a task', () => {
  it('forgets a folder in which nothing was written', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    mkdirSync(rig.taskDir(ID), { recursive: true });
    await rig.must('daemon', 'start');
    expect(existsSync(rig.taskDir(ID))).toBe(false);
    expect((await rig.must('task', 'list', '--all', '--json')).json()).toEqual([]);
  });

  it('makes up for the first event of a task whose TASK.md is there', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    rmSync(join(rig.taskDir(id), 'history.jsonl'));
    await rig.must('daemon', 'start');
    expect(rig.history(id)).toEqual([
      expect.objectContaining({ type: 'task.created', task_id: id }),
    ]);
  });
});

describe('an agent that ends while no daemon runs', () => {
  it('is found at the next start and counted once', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: 'say start; await_go on; [ -e "$RIG/ended" ] && idle; touch "$RIG/ended"; exit 3',
        },
      },
    });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await killDaemon(rig);
    rig.go('on');
    await rig.until('end', () => agentProcesses(id, 'worker').length === 0);
    await rig.must('daemon', 'start');
    const crashed = await rig.waitForEvent(id, ({ type }) => type === 'agent.crashed');
    expect(crashed).toMatchObject({ exit_status: 3, crash_count: 1, status: 'planning' });
    await rig.until('respawn', () => rig.said().length === 2);
    await restart(rig);
    await rig.until('one agent', () => launchesAlive(id, 'worker').length === 1);
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toHaveLength(1);
    expect(rig.field(id, 'crash_count')).toBe('1');
    checkTask(rig, id);
  });

  it('with its Handoff written moves the task on, and is no crash', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `add Plan 'APPROACH: x'; await_status working; await_go on
            work done; add Handoff 'DONE: it'; exit 0`,
          reviewer: PASSING_REVIEWER,
        },
      },
      policy: { settle_ms: 5000 },
    });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'working');
    await killDaemon(rig);
    rig.go('on');
    await rig.until('end', () => agentProcesses(id, 'worker').length === 0);
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'reviewing');
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    checkTask(rig, id);
  });
});

describe('a tmux server that is killed', () => {
  it('F53 takes every agent down once: none is counted, each is started again', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, policy: { crash_limit: 3 } });
    const ids = [
      await rig.create('first', 'x', ...PLAIN),
      await rig.create('second', 'x', ...PLAIN),
    ];
    for (const id of ids) await rig.waitForStatus(id, 'planning');
    const server = Number(rig.tmux('display-message', '-p', '#{pid}'));
    expect(server).toBeGreaterThan(1);
    process.kill(server, 'SIGKILL');
    await rig.until('everybody again', () => rig.said().length === 4);
    for (const id of ids) {
      await rig.until('one agent', () => launchesAlive(id, 'worker').length === 1);
      await rig.waitForEvent(id, ({ type }) => type === 'agent.interrupted');
      checkTask(rig, id);
      checkAgents(rig, id);
      expect(rig.history(id).filter(({ type }) => type === 'agent.interrupted')).toHaveLength(1);
      expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toHaveLength(0);
      expect(rig.field(id, 'status')).toBe('planning');
    }
    await restart(rig);
    expect(rig.said()).toHaveLength(4);
    checkPool(rig, ids);
  });

  it('together with the daemon loses nothing either', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, policy: { crash_limit: 3 } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const server = Number(rig.tmux('display-message', '-p', '#{pid}'));
    await killDaemon(rig);
    process.kill(server, 'SIGKILL');
    await rig.until('no agent', () => agentProcesses(id, 'worker').length === 0);
    await rig.must('daemon', 'start');
    await rig.until('another agent', () => rig.said().length === 2);
    await rig.until('one agent', () => launchesAlive(id, 'worker').length === 1);
    checkTask(rig, id);
  });
});

describe('a damaged history', () => {
  it('F6 F7 has its torn last line cut before the next one, and says so', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    appendFileSync(join(rig.taskDir(id), 'history.jsonl'), '{"type":"status.chan');
    await rig.must('task', 'update', id, '--summary', 'Two');
    await rig.must('task', 'update', id, '--summary', 'Three');
    expect(rig.history(id).map(({ type }) => type)).toEqual([
      'task.created',
      'task.updated',
      'history.repaired',
      'task.updated',
    ]);
    checkTask(rig, id);
  });

  it('with a bad line in the middle is reported everywhere and hides nothing', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    const other = await rig.create('second', 'x', '--no-spawn', ...PLAIN);
    await killDaemon(rig);
    const path = join(rig.taskDir(id), 'history.jsonl');
    appendFileSync(path, 'not json\n');
    await rig.must('task', 'update', id, '--summary', 'After');
    const shown = await rig.must('task', 'show', id, '--json');
    const { history } = shown.json<{ history: readonly { type: string }[] }>();
    expect(history.map(({ type }) => type)).toEqual(['task.created', 'task.updated']);
    const listed = await rig.must('task', 'list');
    expect(listed.stdout).toContain('second');
    expect(`${listed.stdout}${listed.stderr}`).toContain('1 file needs attention');
    const validated = await rig.orange('validate', '--json');
    expect(validated.code).toBe(1);
    expect(validated.stdout).toContain(path);
    const doctor = await rig.orange('doctor', '--json');
    expect(doctor.stdout).toContain(path);
    expect(rig.read(path)).toContain('not json\n');
    checkTask(rig, other);
  });
});
