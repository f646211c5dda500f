import { dirname, join, relative } from 'node:path';
import * as v from 'valibot';
import { DONE, failed, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';

/** How the files of a home are laid out and written. Raised when an older orange must not touch them. */
export const HOME_FORMAT = 1;

/** Brings the files of a home from one format to the next. */
export type Migration = {
  readonly from: number;
  /** The files that change, as absolute paths. */
  files(): Result<readonly string[]>;
  migrate(text: string, path: string): Result<string>;
};

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  /** The version of this program. */
  readonly version: string;
  readonly known?: number;
  readonly migrations?: readonly Migration[];
};

/**
 * Makes sure that this orange understands the home: an older format is brought up, with a copy of
 * every changed file under `backup/`; a newer one is refused and left alone. A home without a mark
 * is of the first format.
 */
export function adoptHomeFormat(parts: Parts): Result<void> {
  const { paths, version } = parts;
  const known = parts.known ?? HOME_FORMAT;
  const read = readMark(parts);
  if (!read.ok) return read;
  const mark = read.value ?? { format: FIRST_FORMAT, orange: 'unknown' };
  if (mark.format > known) {
    const { format, orange } = mark;
    return failed({ kind: 'home-too-new', home: paths.home, format, known, version: orange });
  }
  const migrated = migrateAll(parts, mark.format, known);
  if (!migrated.ok) return migrated;
  const isCurrent = mark.format === known && mark.orange === version;
  return isCurrent ? DONE : writeMark(parts, { format: known, orange: version });
}

/** Each step is marked as soon as it is done. */
function migrateAll(parts: Parts, from: number, to: number): Result<void> {
  for (let format = from; format < to; format += 1) {
    const step = parts.migrations?.find((migration) => migration.from === format);
    const done = step === undefined ? DONE : migrate(parts, step);
    if (!done.ok) return done;
    const marked = writeMark(parts, { format: format + 1, orange: parts.version });
    if (!marked.ok) return marked;
  }
  return DONE;
}

/** A step that was cut off goes on from the copies, so that no file is migrated twice. */
function migrate({ files, paths }: Parts, step: Migration): Result<void> {
  const listed = step.files();
  if (!listed.ok) return listed;
  for (const path of listed.value) {
    const backup = join(paths.home, 'backup', `format-${step.from}`, relative(paths.home, path));
    const original = keepOriginal(files, path, backup);
    if (!original.ok) return original;
    const migrated = step.migrate(original.value, path);
    const written = migrated.ok ? files.replace(path, migrated.value) : migrated;
    if (!written.ok) return written;
  }
  return DONE;
}

function keepOriginal(files: Files, path: string, backup: string): Result<string> {
  const kept = files.readText(backup, MAX_BYTES);
  if (kept.ok) return success(kept.value.text);
  const current = files.readText(path, MAX_BYTES);
  if (!current.ok) return current;
  const made = files.makeDirectory(dirname(backup));
  const copied = made.ok ? files.replace(backup, current.value.text) : made;
  return copied.ok ? success(current.value.text) : copied;
}

type Mark = v.InferOutput<typeof MARK>;

function readMark({ files, paths }: Parts): Result<Mark | null> {
  const read = files.readText(paths.formatFile, MAX_MARK_BYTES);
  if (!read.ok) {
    const isAbsent = read.failure.kind === 'io-failed' && read.failure.code === 'ENOENT';
    return isAbsent ? success(null) : read;
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), MARK), read.value.text);
  // Unreadable marks are no reason to lock anybody out of their tasks.
  return success(parsed.success ? parsed.output : null);
}

function writeMark({ files, paths }: Parts, mark: Mark): Result<void> {
  const written = files.replace(paths.formatFile, `${JSON.stringify(mark)}\n`);
  return written.ok ? DONE : written;
}

const FIRST_FORMAT = 1;
const MAX_MARK_BYTES = 4096;
const MAX_BYTES = 512 * 1024 * 1024;
const MARK = v.object({
  format: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  orange: v.string(),
});
