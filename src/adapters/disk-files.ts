import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { failpoint, writeFailpoint } from '../domain/failpoint.js';
import { InternalError } from '../domain/failure.js';
import { failed, success, type Result } from '../domain/result.js';
import type { Files, FileStamp, ReadFile, Replacement } from '../ports.js';
import { appendLines } from './append-lines.js';
import { decode, FileRefused, stampOf, stateOf, syncDirectory, writeWhole } from './disk-steps.js';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const LATE_WRITE_STEP_MS = 2;
const LATE_WRITE_STEPS = 25;
const MAX_LATE_BYTES = 1024 * 1024;

/** The real disk. */
export function createDiskFiles(): Files {
  return {
    readText: (path, maxBytes, decoding) =>
      attempt(path, 'read', () =>
        withFile(path, O_RDONLY, (fd) => readWhole(fd, maxBytes, decoding ?? 'strict')),
      ),
    stat: (path) => attempt(path, 'stat', () => stateOf(path)),
    replace: (path, text) =>
      attempt(path, 'replace', () => replaceWith(path, text, () => true).stamp),
    replaceIfUnchanged: (path, expected, text) =>
      attempt(path, 'replace', () => replaceUnchanged(path, expected, text)),
    appendLines: (path, lines) => attempt(path, 'append', () => appendLines(path, lines)),
    makeDirectory: (path) => attempt(path, 'make-directory', () => makeDirectory(path)),
    list: (path) => attempt(path, 'list', () => listNames(path)),
    link: (path, target) => attempt(path, 'link', () => linkTo(path, target)),
    remove: (path) => attempt(path, 'remove', () => removeFile(path)),
    removeTree: (path) =>
      attempt(path, 'remove-tree', () => fs.rmSync(path, { force: true, recursive: true })),
  };
}

class StaleFile extends Error {
  override readonly name = 'StaleFile';
}

function attempt<T>(path: string, operation: string, action: () => T): Result<T> {
  try {
    return success(action());
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    return failed({ kind: 'io-failed', path, operation, code });
  }
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof InternalError) return null;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

function withFile<T>(path: string, flags: number, action: (fd: number) => T): T {
  const fd = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fs.fstatSync(fd).isFile()) throw new FileRefused('ENOTREG');
    return action(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function listNames(path: string): readonly string[] {
  failpoint('disk.list');
  return fs.readdirSync(path).toSorted();
}

function readWhole(fd: number, maxBytes: number, decoding: 'strict' | 'lossy'): ReadFile {
  failpoint('disk.read');
  const before = fs.fstatSync(fd);
  if (before.size > maxBytes) throw new FileRefused('EFBIG');
  const bytes = Buffer.alloc(before.size + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = fs.readSync(fd, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  // A file that grows or shrinks while it is read keeps its first stamp, so the next look differs.
  const text = decode(bytes.subarray(0, Math.min(length, before.size)), decoding);
  return { text, stamp: stampOf(before) };
}

function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.inode === b.inode;
}

/** Whether a name is that of a file on its way to its place. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

function replaceWith(
  path: string,
  text: string,
  isStillWanted: () => boolean,
): { readonly stamp: FileStamp } {
  const temporary = temporaryBeside(path);
  try {
    writeFailpoint(path, 'before-write');
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);
    let stamp: FileStamp;
    try {
      writeWhole(fd, Buffer.from(text, 'utf8'), 0);
      writeFailpoint(path, 'written');
      fs.fsyncSync(fd);
      writeFailpoint(path, 'synced');
      stamp = stampOf(fs.fstatSync(fd));
    } finally {
      fs.closeSync(fd);
    }
    if (!isStillWanted()) throw new StaleFile();
    fs.renameSync(temporary, path);
    writeFailpoint(path, 'renamed');
    syncDirectory(dirname(path));
    writeFailpoint(path, 'directory-synced');
    return { stamp };
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function replaceUnchanged(path: string, expected: FileStamp, text: string): Replacement {
  if (stateOf(path).kind === 'absent') return { kind: 'changed-meanwhile' };
  try {
    return withFile(path, O_RDONLY, (oldFd) => {
      const isUnchanged = (): boolean => {
        const now = stateOf(path);
        return now.kind === 'file' && isSameStamp(now.stamp, expected);
      };
      if (!isUnchanged() || fs.fstatSync(oldFd).ino !== expected.inode) throw new StaleFile();
      const { stamp } = replaceWith(path, text, isUnchanged);
      return { kind: 'replaced', stamp, lateText: lateTextOf(oldFd, expected) };
    });
  } catch (error) {
    if (error instanceof StaleFile) return { kind: 'changed-meanwhile' };
    throw error;
  }
}

/** What a writer put into the replaced inode after our last look, once it has stopped writing. */
function lateTextOf(oldFd: number, expected: FileStamp): string | null {
  const late = stampOf(fs.fstatSync(oldFd));
  if (isSameStamp(late, expected)) return null;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let last = late;
  for (let step = 0; step < LATE_WRITE_STEPS; step += 1) {
    Atomics.wait(pause, 0, 0, LATE_WRITE_STEP_MS);
    const now = stampOf(fs.fstatSync(oldFd));
    if (now.size > 0 && isSameStamp(now, last)) break;
    last = now;
  }
  if (last.size > MAX_LATE_BYTES) return null;
  return readWhole(oldFd, MAX_LATE_BYTES, 'lossy').text;
}

/** Sets the permission bits of a file or directory, never through a link. */
export function restrictMode(path: string, mode: number): Result<void> {
  return attempt(path, 'chmod', () => {
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      fs.fchmodSync(fd, mode);
    } finally {
      fs.closeSync(fd);
    }
  });
}

/** The permission bits of a file or directory. */
export function readMode(path: string): Result<number> {
  return attempt(path, 'stat', () => fs.statSync(path).mode & 0o777);
}

function makeDirectory(path: string): void {
  const first = fs.mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
  if (first === undefined) return;
  failpoint('disk.directory-made');
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === dirname(made)) return;
  }
}

function removeFile(path: string): void {
  if (stateOf(path).kind === 'absent') return;
  failpoint('disk.before-remove');
  fs.unlinkSync(path);
  failpoint('disk.removed');
}

function linkTo(path: string, target: string): void {
  const temporary = temporaryBeside(path);
  try {
    fs.symlinkSync(target, temporary);
    fs.renameSync(temporary, path);
    failpoint('disk.linked');
    syncDirectory(dirname(path));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
