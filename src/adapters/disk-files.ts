import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { failpoint } from '../domain/failpoint.js';
import { failed, success, type Result } from '../domain/result.js';
import type { Files, ReadFile } from '../ports.js';
import { appendLines } from './append-lines.js';
import {
  closeQuietly,
  decode,
  errnoOf,
  FileRefused,
  ignoringErrno,
  makePath,
  stampOf,
  stateOf,
  syncDirectory,
  temporaryBeside,
} from './disk-steps.js';
import {
  createFile,
  fillFile,
  linkDraft,
  replaceAny,
  replaceUnchanged,
  textDraft,
} from './replace-file.js';
import { lookSparingly } from './spare-descriptor.js';

const { O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** The real disk. */
export function createDiskFiles(): Files {
  return {
    readText: (path, maxBytes, decoding) =>
      attempt(path, 'read', () =>
        withFile(path, (fd, stats) =>
          readBytes(fd, stats, { maxBytes, decoding, excess: 'refused' }),
        ),
      ),
    readStart: (path, maxBytes) =>
      attempt(path, 'read', () =>
        withFile(path, (fd, stats) =>
          readBytes(fd, stats, { maxBytes, decoding: 'lossy', excess: 'left-out' }),
        ),
      ),
    stat: (path) => attempt(path, 'stat', () => stateOf(path)),
    isLink: (path) => attempt(path, 'stat', () => isLink(path)),
    replace: (path, text, lasting) =>
      attempt(path, 'replace', () => replaceAny(path, textDraft(path, text, lasting ?? 'always'))),
    create: (path, text) => attempt(path, 'create', () => createFile(path, text)),
    fill: (path, text) => attempt(path, 'fill', () => fillFile(path, text)),
    empty: (path) => attempt(path, 'empty', () => emptyFile(path)),
    replaceIfUnchanged: (path, expected, text, keepAs) =>
      attempt(path, 'replace', () =>
        replaceUnchanged(path, expected, { draft: textDraft(path, text, 'always'), keepAs }),
      ),
    appendLines: (path, lines) => attempt(path, 'append', () => appendLines(path, lines)),
    makeDirectory: (path, lasting) =>
      attempt(path, 'make-directory', () => makeDirectory(path, lasting ?? 'always')),
    moveDirectory: (from, to) => attempt(to, 'create', () => renameOrNot(from, to, dirname(to))),
    list: (path) => attempt(path, 'list', () => listNames(path)),
    link: (path, target) =>
      attempt(path, 'link', () => void replaceAny(path, linkDraft(path, target, 'until-reboot'))),
    linkIfUnchanged: (path, expected, target, keepAs) =>
      attempt(path, 'link', () =>
        replaceUnchanged(path, expected, { draft: linkDraft(path, target, 'always'), keepAs }),
      ),
    remove: (path) => attempt(path, 'remove', () => removeFile(path)),
    removeEmpty: (path) => attempt(path, 'remove', () => takeAway(() => fs.rmdirSync(path))),
    removeTree: (path, by) => attempt(path, 'remove-tree', () => removeTree(path, by ?? null)),
  };
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function attempt<T>(path: string, operation: string, action: () => T): Result<T> {
  try {
    return success(action());
  } catch (error) {
    const code = errnoOf(error);
    if (code === null) throw error;
    return failed({ kind: 'io-failed', path, operation, code });
  }
}

type Decoding = 'strict' | 'lossy';

function withFile<T>(path: string, action: (fd: number, stats: fs.Stats) => T): T {
  // Often a file is absent, and to be refused takes longer than to look.
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) throw new FileRefused('ENOENT');
  return lookSparingly(() => {
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fs.fstatSync(fd);
      if (!stats.isFile()) throw new FileRefused('ENOTREG');
      return action(fd, stats);
    } finally {
      closeQuietly(fd);
    }
  });
}

function listNames(path: string): readonly string[] {
  failpoint('disk.list');
  return lookSparingly(() => fs.readdirSync(path)).toSorted();
}

type Reading = {
  readonly maxBytes: number;
  readonly decoding: Decoding | undefined;
  readonly excess: 'refused' | 'left-out';
};

function readBytes(fd: number, before: fs.Stats, reading: Reading): ReadFile {
  const { maxBytes, decoding, excess } = reading;
  failpoint('disk.read');
  if (excess === 'refused' && before.size > maxBytes) throw new FileRefused('EFBIG');
  const size = Math.min(before.size, maxBytes);
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = fs.readSync(fd, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  // A file that grows or shrinks while it is read keeps its first stamp, so the next look differs.
  const text = decode(bytes.subarray(0, Math.min(length, size)), decoding ?? 'strict');
  return { text, stamp: stampOf(before) };
}

/** Sets the permission bits of a file or directory, never through a link. */
export function restrictMode(path: string, mode: number): Result<void> {
  return attempt(path, 'chmod', () => {
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      fs.fchmodSync(fd, mode);
    } finally {
      closeQuietly(fd);
    }
  });
}

/** Gives a directory another name beside its old one, and tells that name. */
export function setAside(path: string): Result<string> {
  const aside = temporaryBeside(path);
  return attempt(path, 'rename', () => {
    fs.renameSync(path, aside);
    syncDirectory(dirname(path));
    return aside;
  });
}

/** A directory without symbolic links on the way; null when it is not there. */
export function realDirectory(path: string): string | null {
  const found = attempt(path, 'resolve', () => fs.realpathSync(path));
  return found.ok ? found.value : null;
}

/** The permission bits of a file or directory. */
export function readMode(path: string): Result<number> {
  return attempt(path, 'stat', () => fs.statSync(path).mode & 0o777);
}

/** How many bytes the disk of a directory still takes. */
export function readRoom(path: string): Result<number> {
  return attempt(path, 'stat', () => {
    const { bavail, bsize } = fs.statfsSync(path);
    return bavail * bsize;
  });
}

function makeDirectory(path: string, lasting: 'always' | 'until-reboot'): void {
  const first = makePath(path);
  if (first === undefined) return;
  failpoint('disk.directory-made');
  if (lasting === 'until-reboot') return;
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === dirname(made)) return;
  }
}

function removeTree(path: string, by: string | null): void {
  const isThere = stateOf(path).kind !== 'absent';
  const place = isThere && by !== null && moveWhole(path, by) ? by : path;
  fs.rmSync(place, { force: true, recursive: true });
}

/** False where the two are not on one disk. */
function moveWhole(path: string, to: string): boolean {
  makeDirectory(dirname(to), 'until-reboot');
  fs.rmSync(to, { force: true, recursive: true });
  try {
    renameOrNot(path, to, dirname(path));
  } catch (error) {
    if (errnoOf(error) === 'EXDEV') return false;
    throw error;
  }
  failpoint('delete.moved');
  return true;
}

/** Whoever is told that it has failed must find it where it was. */
function renameOrNot(from: string, to: string, synced: string): void {
  fs.renameSync(from, to);
  try {
    syncDirectory(synced);
  } catch (error) {
    ignoringErrno(() => fs.renameSync(to, from));
    throw error;
  }
}

function emptyFile(path: string): void {
  const fd = fs.openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fs.fstatSync(fd).isFile()) throw new FileRefused('ENOTREG');
    takeAway(() => fs.ftruncateSync(fd, 0));
  } finally {
    closeQuietly(fd);
  }
}

function removeFile(path: string): void {
  if (stateOf(path).kind === 'absent') return;
  takeAway(() => fs.unlinkSync(path));
}

function takeAway(step: () => void): void {
  failpoint('disk.before-remove');
  step();
  failpoint('disk.removed');
}
