import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileStamp, FileState } from '../ports.js';
import { decodeText } from './decode-text.js';

/** A refusal of ours that travels like an errno, so that one place maps both to a failure. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;
  constructor(code: string) {
    // It is caught close by, many times a second, and where it came from is never looked at.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

export function decode(bytes: Uint8Array, decoding: 'strict' | 'lossy'): string {
  const text = decodeText(bytes, decoding);
  if (text === null) throw new FileRefused('EILSEQ');
  return text;
}

/** A file's stamp. Whoever owns a file may give it a time that no date can show; that is brought into reach. */
export function stampOf(stats: fs.Stats): FileStamp {
  const mtimeMs = Math.min(Math.max(stats.mtimeMs, 0), LAST_DATE_MS);
  return { mtimeMs, size: stats.size, inode: stats.ino };
}

const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.inode === b.inode;
}

export function stateOf(path: string): FileState {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'absent' };
  if (stats.isFile()) return { kind: 'file', stamp: stampOf(stats) };
  if (stats.isSymbolicLink()) return { kind: 'link', target: fs.readlinkSync(path) };
  return stats.isDirectory() ? { kind: 'directory' } : { kind: 'special' };
}

export function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += fs.writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
}

export function syncDirectory(path: string): void {
  const fd = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    closeQuietly(fd);
  }
}

/** Whether a name is that of a file on its way to its place. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);
}

export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${uniqueName()}.tmp`);
}

const PROCESS_NAME = randomBytes(3).toString('hex');
let namesGiven = 0;

/** Twelve hexadecimal digits that nobody else has: this process's own, then a number. */
export function uniqueName(): string {
  namesGiven = (namesGiven + 1) % 0x1_00_00_00;
  return PROCESS_NAME + namesGiven.toString(16).padStart(6, '0');
}

/** Lets go of a file whose content is synced, or was only read: a late complaint changes nothing. */
export function closeQuietly(fd: number): void {
  ignoringErrno(() => fs.closeSync(fd));
}

/** Tidies up behind a failure; what cannot be removed now is found by its name later. */
export function removeQuietly(path: string): void {
  ignoringErrno(() => fs.rmSync(path, { force: true }));
}

/** Takes a file from everybody but the user, never through a link, if that can be done. */
export function closeToOthers(path: string): void {
  ignoringErrno(() => {
    if ((fs.lstatSync(path).mode & OF_OTHERS) === 0) return;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      fs.fchmodSync(fd, 0o600);
    } finally {
      closeQuietly(fd);
    }
  });
}

const OF_OTHERS = 0o077;

/** Does what can be done without; a bug still shows. */
export function ignoringErrno(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

/** The errno of a failed call; null for anything that is a bug. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** Throws as an open would, unless so many more files can be opened. */
export function requireSpareFiles(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(fs.openSync('/dev/null', fs.constants.O_RDONLY));
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

const DIRECTORY_MODE = 0o700;

/**
 * Makes a directory and those above it; gives the first that had to be made. Node's own way of doing
 * so calls a read-only disk a missing directory, and never ends where one cannot be made at all.
 */
export function makePath(path: string): string | undefined {
  try {
    // Most often it is there, and to be refused takes longer than to look.
    const there = fs.statSync(path, { throwIfNoEntry: false });
    return there?.isDirectory() === true ? undefined : makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (errnoOf(error) !== 'ENOENT' || parent === path) throw error;
    const first = makePath(parent);
    const made = makeOne(path);
    return first ?? made;
  }
}

function makeOne(path: string): string | undefined {
  try {
    fs.mkdirSync(path, { mode: DIRECTORY_MODE });
    return path;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST' || !fs.statSync(path).isDirectory()) throw error;
    return undefined;
  }
}
