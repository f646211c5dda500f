import * as v from 'valibot';
import type { Failure } from '../domain/failure.js';
import type { AgentExit } from '../domain/session.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { ProcessMark } from './process-table.js';

/** Where the launch files of a task are; null for an id that is no plain name. */
export function launchDirectory(runDir: string, taskId: string): string | null {
  return isPlainName(taskId) ? `${runDir}/${taskId}` : null;
}

/** The windows of a task that have a start record. */
export function listWindows(
  files: Files,
  runDir: string,
  taskId: string,
): Result<readonly string[]> {
  const directory = launchDirectory(runDir, taskId);
  const names = directory === null ? success([]) : files.list(directory);
  if (!names.ok) return isUnreadable(names.failure) ? names : success([]);
  const windows = names.value
    .filter((name) => name.endsWith('.pid') && !name.startsWith('.'))
    .map((name) => name.slice(0, -'.pid'.length));
  return success(windows);
}

export type StartRecord = {
  readonly launchId: string;
  readonly session: string;
  readonly mark: ProcessMark;
  /** The process that began its terminal session; null when the record does not say. */
  readonly leader: number | null;
  /** The terminal server it was started on; null when the record does not say. */
  readonly server: ProcessMark | null;
  /** When the agent began, in seconds since the machine was started; null when nobody said. */
  readonly fromS: number | null;
};

/** The start record of a window, or null: there is none. */
export function readStart(
  files: Files,
  directory: string,
  window: string,
): Result<StartRecord | null> {
  const found = readRecord(files, `${directory}/${window}.pid`, START);
  if (!found.ok || found.value === null) return found.ok ? success(null) : found;
  const { record } = found.value;
  return success({
    launchId: record.launch,
    session: record.session,
    mark: toMark(record),
    leader: record.leader ?? null,
    server: record.server === undefined || record.server === null ? null : toMark(record.server),
    fromS: record.from ?? null,
  });
}

/** For whoever looks again in a moment anyway. */
export function startOrNull(files: Files, directory: string, window: string): StartRecord | null {
  const start = readStart(files, directory, window);
  return start.ok ? start.value : null;
}

/** Writes a start record as the launcher does; for an agent that lives and lost its own. */
export function writeStart(
  files: Files,
  { directory, window }: { readonly directory: string; readonly window: string },
  { launchId, session, mark, leader, server }: Omit<StartRecord, 'fromS'>,
): Result<void> {
  const made = files.makeDirectory(directory);
  if (!made.ok) return made;
  const [own, under] = [mark, server].map(
    (each) => each && { pid: each.pid, start: each.start ?? '' },
  );
  const began = leader === null ? {} : { leader };
  const record = { launch: launchId, session, ...own, ...began, server: under };
  const written = files.replace(`${directory}/${window}.pid`, `${JSON.stringify(record)}\n`);
  return written.ok ? DONE : written;
}

function toMark({ pid, start }: v.InferOutput<typeof MARK>): ProcessMark {
  return { pid, start: start === '' ? null : start };
}

export type EndRecord = Pick<AgentExit, 'status' | 'signal'> & {
  readonly hasHungUp: boolean;
  /** When the agent ended, in seconds since the machine was started; null when nobody said. */
  readonly toS: number | null;
  /** When the record was written, by the clock on the wall. */
  readonly endedAt: string;
  readonly failure: string | null;
};

/** How a launch ended, if it has; the record of an earlier launch in that window does not count. */
export function readEnd(
  files: Files,
  directory: string,
  window: string,
  launchId: string,
): EndRecord | null {
  const found = readRecord(files, `${directory}/${window}.exit`, END);
  // One that cannot be read is one that is not there: whether the agent lives is told without it.
  if (!found.ok || found.value === null || found.value.record.launch !== launchId) return null;
  const { status, signal, hung_up: hungUp, to, failure } = found.value.record;
  return {
    status,
    signal,
    hasHungUp: hungUp ?? false,
    toS: to ?? null,
    endedAt: new Date(found.value.writtenMs).toISOString(),
    failure: failure ?? null,
  };
}

/** Notes, before it is done, that orange ends a launch that has lost its window. */
export function noteEnding(
  files: Files,
  { directory, window }: { readonly directory: string; readonly window: string },
  launchId: string,
): Result<void> {
  const note = `${JSON.stringify({ launch: launchId })}\n`;
  const written = files.replace(`${directory}/${window}.ended`, note, 'until-reboot');
  return written.ok ? DONE : written;
}

/** Whether orange has noted that it ends this launch. */
export function isEndingNoted(
  files: Files,
  directory: string,
  window: string,
  launchId: string,
): boolean {
  const found = readRecord(files, `${directory}/${window}.ended`, ENDING);
  return found.ok && found.value?.record.launch === launchId;
}

function readRecord<S extends v.GenericSchema>(
  files: Files,
  path: string,
  schema: S,
): Result<{ readonly record: v.InferOutput<S>; readonly writtenMs: number } | null> {
  const file = files.readText(path, MAX_RECORD_BYTES);
  if (!file.ok) return isUnreadable(file.failure) ? file : success(null);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), file.value.text);
  return success(
    parsed.success ? { record: parsed.output, writtenMs: file.value.stamp.mtimeMs } : null,
  );
}

/** Whether there may be a record all the same; what is no plain file of ours is none. */
function isUnreadable(failure: Failure): boolean {
  return failure.kind !== 'io-failed' || !NO_RECORD.has(failure.code);
}

const NO_RECORD: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENOTREG',
  'ELOOP',
  'EFBIG',
  'EILSEQ',
]);

export function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name);
}

const MAX_RECORD_BYTES = 4096;

const MARK = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(2)),
  start: v.string(),
});
const START = v.object({
  launch: v.string(),
  session: v.string(),
  ...MARK.entries,
  leader: v.optional(v.number()),
  server: v.optional(v.nullable(MARK)),
  from: v.optional(v.nullable(v.number())),
});
const ENDING = v.object({ launch: v.string() });
const END = v.object({
  launch: v.string(),
  status: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  hung_up: v.optional(v.boolean()),
  to: v.optional(v.number()),
  failure: v.optional(v.string()),
});
