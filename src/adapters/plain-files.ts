import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import {
  errnoOf,
  FileRefused,
  ignoringErrno,
  closeQuietly,
  removeQuietly,
  temporaryBeside,
} from './disk-steps.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Whether anything is at a path below a folder. */
export function existsAt(root: string, path: string): boolean {
  return fs.lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

/** Names of the regular files in a folder; none where it cannot be read. */
export function listPlainFiles(directory: string): readonly string[] {
  let names: readonly string[] = [];
  ignoringErrno(() => {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  });
  return names.toSorted();
}

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Copies the file at a path below one folder to the same path below another, mode and all. No link
 * is followed on either side. Null when the copy is there; else why it is not.
 */
export function copyPlainFile(from: string, to: string, path: string): string | null {
  const target = join(to, path);
  if (!isPlainWay(from, path, false)) return 'a link or a file is in its way in the checkout';
  if (!isPlainWay(to, path, true)) return 'something else is in its way in the worktree';
  const temporary = temporaryBeside(target);
  try {
    const { bytes, mode } = readSource(join(from, path));
    const there = fs.lstatSync(target, { throwIfNoEntry: false });
    if (there?.isDirectory() === true) return 'a folder of that name is in the worktree';
    fs.writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o600 });
    fs.chmodSync(temporary, mode);
    fs.renameSync(temporary, target);
    return null;
  } catch (error) {
    const code = errnoOf(error);
    if (code === null) throw error;
    removeQuietly(temporary);
    return REASONS[code] ?? code;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  EFBIG: 'it is larger than 16 MiB',
  EISDIR: 'it is no file',
  ENOENT: 'it is gone',
};

function readSource(path: string): { readonly bytes: Buffer; readonly mode: number } {
  const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw new FileRefused('EISDIR');
    if (stats.size > MAX_BYTES) throw new FileRefused('EFBIG');
    return { bytes: fs.readFileSync(fd), mode: stats.mode & 0o777 };
  } finally {
    closeQuietly(fd);
  }
}

/** Whether every folder on the way is one, and no link; those that are missing can be made. */
function isPlainWay(root: string, path: string, isMade: boolean): boolean {
  const folders = dirname(path) === '.' ? [] : dirname(path).split('/');
  let place = root;
  for (const folder of folders) {
    place = join(place, folder);
    const stats = fs.lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) {
      if (!isMade) return false;
      ignoringErrno(() => fs.mkdirSync(place));
    } else if (!stats.isDirectory()) return false;
  }
  return true;
}

/** Removes a file or link, unless the way to it leads over a link. */
export function removePlainFile(root: string, path: string): void {
  if (!isPlainWay(root, path, false)) return;
  const target = join(root, path);
  const stats = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) removeQuietly(target);
}
