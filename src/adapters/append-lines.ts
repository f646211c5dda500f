import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { areFailpointsArmed, failpoint } from '../domain/failpoint.js';
import { InternalError } from '../domain/failure.js';
import { isJsonObject } from './decode-text.js';
import {
  closeQuietly,
  decode,
  FileRefused,
  ignoringErrno,
  stateOf,
  syncDirectory,
  writeWhole,
} from './disk-steps.js';

const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const FILE_MODE = 0o600;
const TAIL_CHUNK_BYTES = 64 * 1024;

const NO_BYTES = Buffer.alloc(0);

/** Cuts a torn last line, appends, and syncs; gives the text cut off, if any. */
export function appendLines(
  path: string,
  lines: readonly string[],
): { readonly repaired: string | null } {
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
    failpoint('history.before-write');
    const cut = isKept ? NO_BYTES : tail;
    try {
      if (cut.length > 0) {
        fs.ftruncateSync(fd, start);
        failpoint('history.tail-cut');
      }
      writeInTwo(
        fd,
        Buffer.from(opening + lines.map((line) => `${line}\n`).join(''), 'utf8'),
        start,
      );
      failpoint('history.written');
      fs.fsyncSync(fd);
      failpoint('history.synced');
      if (isNew) syncDirectory(dirname(path));
    } catch (error) {
      // What could not be made durable was not written, and a torn end is cut, and told of, by the next.
      ignoringErrno(() => fs.ftruncateSync(fd, start));
      ignoringErrno(() => writeWhole(fd, cut, start));
      throw error;
    }
    return { repaired: cut.length === 0 ? null : decode(cut, 'lossy') };
  } finally {
    closeQuietly(fd);
  }
}

/** Writes in one go, unless a test wants to see what is left of half a line. */
function writeInTwo(fd: number, bytes: Uint8Array, position: number): void {
  const half = areFailpointsArmed() ? Math.ceil(bytes.length / 2) : bytes.length;
  writeWhole(fd, bytes.subarray(0, half), position);
  failpoint('history.mid-line');
  writeWhole(fd, bytes.subarray(half), position + half);
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
