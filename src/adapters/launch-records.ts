import * as v from 'valibot';
import { cleanText } from '../domain/clean-text.js';
import type { AgentExit } from '../domain/session.js';
import type { Files, LaunchRecord, LaunchRecords } from '../ports.js';
import type { ProcessMark, ProcessTable } from './process-table.js';

/** Reads what the launchers wrote under `run/<task>/`. */
export function createLaunchRecords(parts: {
  readonly runDir: string;
  readonly files: Files;
  readonly processes: Pick<ProcessTable, 'isAlive'>;
}): LaunchRecords {
  const { runDir, files, processes } = parts;
  const read = (taskId: string, window: string): LaunchRecord | null => {
    const directory = launchDirectory(runDir, taskId);
    if (directory === null || !isPlainName(window)) return null;
    const started = readStart(files, directory, window);
    if (started === null) return null;
    const facts = {
      taskId,
      window,
      session: started.session,
      launchId: started.launchId,
      pid: started.mark.pid,
    };
    const isRunning =
      readEnd(files, directory, window, started.launchId) === null &&
      processes.isAlive(started.mark);
    if (isRunning) return { ...facts, isAlive: true, exit: null };
    // The record is complete before its writer is gone, so it is looked for once more.
    const end = readEnd(files, directory, window, started.launchId);
    const screen = readScreen(files, directory, window);
    return {
      ...facts,
      isAlive: false,
      exit: { status: end?.status ?? null, signal: end?.signal ?? null, screen },
    };
  };
  return {
    read,
    list: (taskId) =>
      listWindows(files, runDir, taskId).flatMap((window) => read(taskId, window) ?? []),
    forget: (taskId) => {
      const directory = launchDirectory(runDir, taskId);
      if (directory !== null) files.removeTree(directory);
    },
  };
}

/** Where the launch files of a task are; null for an id that is no plain name. */
export function launchDirectory(runDir: string, taskId: string): string | null {
  return isPlainName(taskId) ? `${runDir}/${taskId}` : null;
}

/** The windows of a task that have a start record. */
export function listWindows(files: Files, runDir: string, taskId: string): readonly string[] {
  const directory = launchDirectory(runDir, taskId);
  const names = directory === null ? null : files.list(directory);
  if (names === null || !names.ok) return [];
  return names.value
    .filter((name) => name.endsWith('.pid') && !name.startsWith('.'))
    .map((name) => name.slice(0, -'.pid'.length));
}

export type StartRecord = {
  readonly launchId: string;
  readonly session: string;
  readonly mark: ProcessMark;
};

export function readStart(files: Files, directory: string, window: string): StartRecord | null {
  const record = readRecord(files, `${directory}/${window}.pid`, START);
  if (record === null) return null;
  const start = record.start === '' ? null : record.start;
  return { launchId: record.launch, session: record.session, mark: { pid: record.pid, start } };
}

export type EndRecord = Pick<AgentExit, 'status' | 'signal'> & { readonly failure: string | null };

/** How a launch ended, if it has; the record of an earlier launch in that window does not count. */
export function readEnd(
  files: Files,
  directory: string,
  window: string,
  launchId: string,
): EndRecord | null {
  const record = readRecord(files, `${directory}/${window}.exit`, END);
  if (record === null || record.launch !== launchId) return null;
  return { status: record.status, signal: record.signal, failure: record.failure ?? null };
}

/** The last lines an agent left on its screen, cleaned, without the empty ones at the end. */
function readScreen(files: Files, directory: string, window: string): readonly string[] {
  const file = files.readText(`${directory}/${window}.screen`, MAX_SCREEN_BYTES);
  return file.ok ? screenLines(file.value.text) : [];
}

/** Captured text as clean lines, without the empty ones at the end. */
export function screenLines(text: string): readonly string[] {
  const clean = cleanText(text).trimEnd();
  return clean === '' ? [] : clean.split('\n').map((line) => line.trimEnd());
}

function readRecord<S extends v.GenericSchema>(
  files: Files,
  path: string,
  schema: S,
): v.InferOutput<S> | null {
  const file = files.readText(path, MAX_RECORD_BYTES);
  if (!file.ok) return null;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), file.value.text);
  return parsed.success ? parsed.output : null;
}

function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name);
}

const MAX_RECORD_BYTES = 4096;
const MAX_SCREEN_BYTES = 1024 * 1024;

const START = v.object({
  launch: v.string(),
  session: v.string(),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(2)),
  start: v.string(),
});
const END = v.object({
  launch: v.string(),
  status: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  failure: v.optional(v.string()),
});
