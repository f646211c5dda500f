import { readFileSync } from 'node:fs';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { JsonValue } from '../../src/domain/json.js';
import type { Moment, Observation } from '../../src/domain/observation.js';
import { DONE, failed, success, type Result } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { Extensions, TaskFields } from '../../src/domain/task.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { FinishedFiles } from '../../src/daemon/mend/finished-files.js';
import { LateEdits } from '../../src/daemon/late-edits.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { Recorder } from '../../src/daemon/recorder.js';
import { createTaskFileSource } from '../../src/daemon/read-task-content.js';
import { createTaskFileObserver } from '../../src/observe/task-file-observer.js';
import type { Clock, Files, LaunchRecord, LaunchRecords, Log } from '../../src/ports.js';
import { createHistoryLog, formatEvent, parseHistory } from '../../src/record/history-log.js';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { buildFields, buildTask } from '../builders/task.js';
import { temporaryHome } from '../record/temporary-home.js';

export const SHOP = {
  name: 'shop',
  path: '/nowhere/shop',
  default_branch: 'main',
  pool_size: 2,
} as const;

/** The durable parts of a daemon over a home on the real disk; `spoil` may stand in its way. */
export function openDaemonHome(spoil: (files: Files) => Files = (files) => files) {
  const home = temporaryHome();
  const files = spoil(home.files);
  const { paths } = home;
  const clock = manualClock();
  const log = memoryLog();
  const lateEdits = new LateEdits({ files, paths, clock, log, writers: null });
  const store = createTaskStore({ files, paths, onReplaced: (file) => lateEdits.add(file) });
  const kept: Observation[] = [];
  const history = createHistoryLog(files);
  const outbox = createOutbox({ files, paths });
  const world = new LiveWorld();
  world.replaceProjects([SHOP]);
  world.settings.set('', DEFAULT_SETTINGS);
  const observer = createTaskFileObserver({
    source: createTaskFileSource({ files, paths, store }),
    clock,
  });
  const parts = { files, paths, store, history, outbox, world, clock, observer, log };
  const onKept = (each: Observation): void => void kept.push(each);
  const recorder = new Recorder({ ...parts, firstSeq: 1, onKept });
  const take = (seen: Observation): boolean => {
    if (seen.kind === 'edit-kept') onKept(seen);
    const moment = momentOf(clock);
    return recorder.record(decide(world, seen, moment), moment, null).ok;
  };
  lateEdits.attach(store, take);
  return {
    ...parts,
    finished: new FinishedFiles(parts),
    disk: home.files,
    lateEdits,
    /** What could not go into a task's file, as it was reported. */
    kept,
    take,
    recorder,
    /** Puts a task on disk, as its creation leaves it, and into the world. */
    addTask(
      change: Partial<TaskFields> = {},
      body = '\n## Context\n\nWhy.\n',
      extensions: Extensions = {},
    ): TaskState {
      const fields = buildFields(change);
      const { id, project, branch } = fields;
      const created = { type: 'task.created', task_id: id, project, branch };
      const made = createTaskStore(home).create({ fields, extensions, body }, [
        formatEvent(created, fields.created_at),
      ]);
      if (!made.ok) throw new Error(JSON.stringify(made.failure));
      const task = buildTask({ fields: change, extensions, context: 'Why.' });
      world.putTask(task);
      return task;
    },
    historyText: (id: string): string => readFileSync(paths.historyFile('shop', id), 'utf8'),
    events(id: string): readonly HistoryEvent[] {
      return parseHistory(readFileSync(paths.historyFile('shop', id), 'utf8')).events;
    },
    fieldsOnDisk(id: string): TaskFields {
      const read = createTaskStore(home).read('shop', id);
      if (!read.ok) throw new Error(JSON.stringify(read.failure));
      return read.value.record.fields;
    },
    entries(): readonly OutboxEntry[] {
      const listed = createOutbox(home).list();
      if (!listed.ok) throw new Error(JSON.stringify(listed.failure));
      return listed.value.entries;
    },
    [Symbol.dispose]: () => {
      lateEdits.close();
      home[Symbol.dispose]();
    },
  };
}

export type DaemonHome = ReturnType<typeof openDaemonHome>;

export function manualClock(): Clock & { advance(ms: number): void } {
  let now = Date.parse('2026-01-02T10:00:00.000Z');
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

export function momentOf(clock: Clock): Moment {
  const nowMs = clock.nowMs();
  const timestamp = new Date(nowMs).toISOString();
  return { nowMs, monotonicMs: clock.monotonicMs(), timestamp };
}

export function memoryLog(): Log & { readonly records: Record<string, JsonValue | undefined>[] } {
  const records: Record<string, JsonValue | undefined>[] = [];
  return { records, write: (record) => void records.push(record) };
}

export function fakeLaunches(records: readonly LaunchRecord[] = []): LaunchRecords {
  const find = (taskId: string) => records.filter((record) => record.taskId === taskId);
  return {
    read: (taskId, window) =>
      success(find(taskId).find((record) => record.window === window) ?? null),
    list: (taskId) => success(find(taskId)),
    exitOf: () => null,
    screen: async () => null,
    hasCompany: async () => false,
    forget: () => DONE,
  };
}

export function launchRecord(taskId: string, change: Partial<LaunchRecord> = {}): LaunchRecord {
  return {
    taskId,
    session: 'shop/dark-mode',
    window: 'worker',
    launchId: 'worker-1',
    pid: 4242,
    isAlive: true,
    exit: null,
    isInDoubt: false,
    ...change,
  };
}

/** A disk on which the operation fails for paths that `isBroken` names, until it says otherwise. */
export function failingDisk(
  isBroken: (operation: keyof Files, path: string) => boolean,
): (files: Files) => Files {
  const guard = <T>(operation: keyof Files, path: string, act: () => Result<T>): Result<T> =>
    isBroken(operation, path)
      ? failed({ kind: 'io-failed', path, operation, code: 'ENOSPC' })
      : act();
  return (files) => ({
    ...files,
    replace: (path, ...rest) => guard('replace', path, () => files.replace(path, ...rest)),
    create: (path, text) => guard('create', path, () => files.create(path, text)),
    fill: (path, text) => guard('fill', path, () => files.fill(path, text)),
    replaceIfUnchanged: (path, ...rest) =>
      guard('replaceIfUnchanged', path, () => files.replaceIfUnchanged(path, ...rest)),
    appendLines: (path, lines) => guard('appendLines', path, () => files.appendLines(path, lines)),
  });
}
