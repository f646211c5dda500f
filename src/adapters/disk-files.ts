import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InternalError } from '../domain/failure.js';
import { failed, success, type Result } from '../domain/result.js';
import { decodeText, isJsonObject } from './decode-text.js';
import type { Files, FileStamp, FileState, ReadFile, Replacement } from '../ports.js';

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const LATE_WRITE_STEP_MS = 2;
const LATE_WRITE_STEPS = 25;
const TAIL_CHUNK_BYTES = 64 * 1024;
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
    list: (path) => attempt(path, 'list', () => fs.readdirSync(path).toSorted()),
    link: (path, target) => attempt(path, 'link', () => linkTo(path, target)),
    remove: (path) => attempt(path, 'remove', () => removeFile(path)),
    removeTree: (path) =>
      attempt(path, 'remove-tree', () => fs.rmSync(path, { force: true, recursive: true })),
  };
}

/** A refusal of ours that travels like an errno, so that one place maps both to a failure. */
class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
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

function readWhole(fd: number, maxBytes: number, decoding: 'strict' | 'lossy'): ReadFile {
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

function decode(bytes: Uint8Array, decoding: 'strict' | 'lossy'): string {
  const text = decodeText(bytes, decoding);
  if (text === null) throw new FileRefused('EILSEQ');
  return text;
}

function stampOf(stats: fs.Stats): FileStamp {
  return { mtimeMs: stats.mtimeMs, size: stats.size, inode: stats.ino };
}

function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.inode === b.inode;
}

function stateOf(path: string): FileState {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'absent' };
  if (stats.isFile()) return { kind: 'file', stamp: stampOf(stats) };
  if (stats.isSymbolicLink()) return { kind: 'link', target: fs.readlinkSync(path) };
  return stats.isDirectory() ? { kind: 'directory' } : { kind: 'special' };
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
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);
    let stamp: FileStamp;
    try {
      writeWhole(fd, Buffer.from(text, 'utf8'), 0);
      fs.fsyncSync(fd);
      stamp = stampOf(fs.fstatSync(fd));
    } finally {
      fs.closeSync(fd);
    }
    if (!isStillWanted()) throw new StaleFile();
    fs.renameSync(temporary, path);
    syncDirectory(dirname(path));
    return { stamp };
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += fs.writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
}

function syncDirectory(path: string): void {
  const fd = fs.openSync(path, O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
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

function appendLines(path: string, lines: readonly string[]): { readonly repaired: string | null } {
  if (lines.some((line) => line.includes('\n'))) {
    throw new InternalError('a line to append holds a line break');
  }
  const isNew = stateOf(path).kind === 'absent';
  const fd = fs.openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw new FileRefused('ENOTREG');
    const tail = readTail(fd, stats.size);
    const isKept = isJsonObject(tail);
    const start = isKept ? stats.size : stats.size - tail.length;
    const opening = isKept ? '\n' : '';
    if (!isKept && tail.length > 0) fs.ftruncateSync(fd, start);
    try {
      writeWhole(
        fd,
        Buffer.from(opening + lines.map((line) => `${line}\n`).join(''), 'utf8'),
        start,
      );
      fs.fsyncSync(fd);
    } catch (error) {
      fs.ftruncateSync(fd, start);
      throw error;
    }
    if (isNew) syncDirectory(dirname(path));
    return { repaired: isKept || tail.length === 0 ? null : decode(tail, 'lossy') };
  } finally {
    fs.closeSync(fd);
  }
}

/** The permission bits of a file or directory. */
export function readMode(path: string): Result<number> {
  return attempt(path, 'stat', () => fs.statSync(path).mode & 0o777);
}

/** The bytes after the last line break. */
function readTail(fd: number, size: number): Buffer {
  let tail = Buffer.alloc(0);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - TAIL_CHUNK_BYTES);
    const chunk = Buffer.alloc(end - start);
    const count = fs.readSync(fd, chunk, 0, chunk.length, start);
    const lineBreak = chunk.subarray(0, count).lastIndexOf(0x0a);
    tail = Buffer.concat([chunk.subarray(lineBreak + 1, count), tail]);
    if (lineBreak !== -1) break;
    end = start;
  }
  return tail;
}

function makeDirectory(path: string): void {
  const first = fs.mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === dirname(made)) return;
  }
}

function removeFile(path: string): void {
  if (stateOf(path).kind !== 'absent') fs.unlinkSync(path);
}

function linkTo(path: string, target: string): void {
  const temporary = temporaryBeside(path);
  try {
    fs.symlinkSync(target, temporary);
    fs.renameSync(temporary, path);
    syncDirectory(dirname(path));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
