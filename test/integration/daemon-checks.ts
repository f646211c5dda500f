import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { isStatus } from '../../src/domain/status.js';
import { isLegalMove } from '../../src/engine/moves.js';
import { parseHistory } from '../../src/record/history-log.js';
import { parsePool } from '../../src/record/pool-file.js';
import { parseTaskFile } from '../../src/record/task-file.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { Event, Rig } from './orange-rig.js';

/** The pid of the daemon that owns the rig's home, or null when none does. */
export function daemonPid(rig: Rig): number | null {
  const path = join(rig.home, 'run', 'lock.owner.json');
  if (!existsSync(path)) return null;
  const { pid } = JSON.parse(readFileSync(path, 'utf8'));
  return typeof pid === 'number' && isAlive(pid) ? pid : null;
}

/** Kills the daemon as a crash would; true when there was one. */
export async function killDaemon(rig: Rig, signal: NodeJS.Signals = 'SIGKILL'): Promise<boolean> {
  const pid = daemonPid(rig);
  if (pid === null) return false;
  process.kill(pid, signal);
  await rig.until(`end of daemon ${pid}`, () => !isAlive(pid), 10_000);
  return true;
}

/** Whether a process lives; one that only waits to be reaped does not. */
export function isAlive(pid: number): boolean {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat !== null && !/^\d+ \(.*\) [ZX]/s.test(stat);
}

/** Starts the daemon program itself, not through a command; `wrap` is a command that runs it. */
export function spawnDaemon(
  rig: Rig,
  env: Readonly<Record<string, string>> = {},
  wrap: readonly string[] = [],
): ChildProcess {
  const entry = join(dirname(rig.program), 'orange-daemon.js');
  const [program, ...args] = [...wrap, process.execPath, entry];
  return spawn(program, args, { env: { ...rig.env, ...env }, stdio: 'pipe' });
}

export async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return new Promise((resolve) => child.on('exit', resolve));
}

type MarkedProcess = { readonly pid: number; readonly env: ReadonlyMap<string, string> };

/** Living processes of a task's agents, by the marks in their environment. */
export function agentProcesses(taskId: string, role: string): readonly MarkedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => ({ pid: Number(name), env: environmentOf(name) }))
    .filter(({ env }) => env.get('ORANGE_TASK_ID') === taskId && env.get('ORANGE_ROLE') === role)
    .filter(({ pid }) => isAlive(pid));
}

/** The launches that have a living process: more than one means two agents in one worktree. */
export function launchesAlive(taskId: string, role: string): readonly string[] {
  const launches = agentProcesses(taskId, role).map(({ env }) => env.get('ORANGE_LAUNCH_ID'));
  return [...new Set(launches.map(String))];
}

export function environmentOf(pid: string | number): ReadonlyMap<string, string> {
  const text = readOrNull(`/proc/${pid}/environ`) ?? '';
  const pairs = text.split('\0').map((pair) => pair.split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}

/** The moves of a history, in order. */
export function movesOf(events: readonly Event[]): readonly string[] {
  return events
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced')
    .map(({ from, to }) => `${String(from)} → ${String(to)}`);
}

/** Whether TASK.md can be read; while an agent writes it in place it cannot, for a moment. */
export function isWhole(rig: Rig, id: string): boolean {
  const expected = { id, project: rig.project };
  return parseTaskFile(rig.read(rig.taskFile(id)), rig.taskFile(id), { expected }).ok;
}

/** What must hold of a task whatever happened: its files are whole and its history is legal. */
export function checkTask(rig: Rig, id: string): void {
  const text = rig.read(rig.taskFile(id));
  const task = parseTaskFile(text, rig.taskFile(id), { expected: { id, project: rig.project } });
  expect(task, text).toMatchObject({ ok: true });
  const history = rig.read(join(rig.taskDir(id), 'history.jsonl'));
  const { events, damage, tornTail } = parseHistory(history);
  expect({ damage, tornTail }, history).toEqual({ damage: [], tornTail: null });
  const lines = history.split('\n').filter(Boolean);
  expect(new Set(lines).size, `doubled lines:\n${history}`).toBe(lines.length);
  checkMoves(events, history);
  for (const type of ['agent.spawned', 'review.started', 'agent.crashed']) {
    const launches = events.filter((event) => event.type === type).map(({ launch }) => launch);
    expect(new Set(launches).size, `doubled ${type}:\n${history}`).toBe(launches.length);
  }
  for (const type of ['task.created', 'task.merged']) {
    const count = events.filter((event) => event.type === type).length;
    expect(count, `${type}:\n${history}`).toBeLessThanOrEqual(1);
  }
  expect(events[0], history).toMatchObject({ type: 'task.created' });
}

function checkMoves(events: readonly HistoryEvent[], history: string): void {
  let status = 'pending';
  for (const event of events) {
    if (event.type !== 'status.changed' && event.type !== 'auto.advanced') continue;
    const from = event['from'];
    const to = typeof event['to'] === 'string' ? event['to'] : 'nowhere';
    expect(from, `a move from elsewhere:\n${history}`).toBe(status);
    const isLegal = isStatus(status) && isStatus(to) && isLegalMove(status, to);
    expect(isLegal, `${status} → ${to}:\n${history}`).toBe(true);
    status = to;
  }
}

/** At most one agent of each role, counted by processes and not by what orange says. */
export function checkAgents(rig: Rig, id: string): void {
  for (const role of ['worker', 'reviewer']) {
    expect(launchesAlive(id, role).length, rig.describe(id)).toBeLessThanOrEqual(1);
  }
}

/** .pool.json, the TASK.md files, the disk and git tell the same about every worktree. */
export function checkPool(rig: Rig, ids: readonly string[]): void {
  const path = join(rig.home, 'workspaces', '.pool.json');
  const held = ids.map((id) => rig.field(id, 'workspace') ?? 'null');
  const bound = held.filter((workspace) => workspace !== 'null');
  const pool = existsSync(path) ? parsePool(rig.read(path), path) : null;
  if (pool === null) {
    expect(bound).toEqual([]);
    return;
  }
  expect(pool).toMatchObject({ ok: true });
  const rows = pool.ok ? Object.entries(pool.value.workspaces) : [];
  const boundRows = rows.flatMap(([name, row]) => (row.status === 'bound' ? [name] : []));
  expect(boundRows.toSorted()).toEqual(bound.toSorted());
  const onDisk = readdirSync(join(rig.home, 'workspaces')).filter((name) => !name.startsWith('.'));
  expect(rows.map(([name]) => name).toSorted()).toEqual(onDisk.toSorted());
  const listed = rig
    .git(rig.repository, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length));
  const paths = onDisk.map((name) => realpathSync(join(rig.home, 'workspaces', name)));
  expect(listed.filter((worktree) => worktree !== rig.repository).toSorted()).toEqual(
    paths.toSorted(),
  );
}

/** The intents that are still in the outbox; an empty file waits for the next one. */
export function outboxOf(rig: Rig): readonly string[] {
  const path = join(rig.home, 'run', 'outbox');
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => !name.startsWith('.'));
  return names.filter((name) => readOrNull(join(path, name)) !== '');
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
