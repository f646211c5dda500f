import * as fs from 'node:fs';
import type { FileStamp, FileState } from '../ports.js';
import { decodeText } from './decode-text.js';

/** A refusal of ours that travels like an errno, so that one place maps both to a failure. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export function decode(bytes: Uint8Array, decoding: 'strict' | 'lossy'): string {
  const text = decodeText(bytes, decoding);
  if (text === null) throw new FileRefused('EILSEQ');
  return text;
}

export function stampOf(stats: fs.Stats): FileStamp {
  return { mtimeMs: stats.mtimeMs, size: stats.size, inode: stats.ino };
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
    fs.closeSync(fd);
  }
}
