import { failed, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';

/** The disk behind the home lock: a process that lost its home writes nothing more. */
export function fenceFiles(files: Files, isHeld: () => boolean): Files {
  const guard = <T>(path: string, operation: string, write: () => Result<T>): Result<T> =>
    isHeld() ? write() : failed({ kind: 'io-failed', path, operation, code: 'EFENCED' });
  return {
    readText: (...read) => files.readText(...read),
    readStart: (path, maxBytes) => files.readStart(path, maxBytes),
    stat: (path) => files.stat(path),
    isLink: (path) => files.isLink(path),
    list: (path) => files.list(path),
    replace: (path, ...rest) => guard(path, 'replace', () => files.replace(path, ...rest)),
    create: (path, text) => guard(path, 'create', () => files.create(path, text)),
    fill: (path, text) => guard(path, 'fill', () => files.fill(path, text)),
    empty: (path) => guard(path, 'empty', () => files.empty(path)),
    replaceIfUnchanged: (path, ...rest) =>
      guard(path, 'replace', () => files.replaceIfUnchanged(path, ...rest)),
    appendLines: (path, lines) => guard(path, 'append', () => files.appendLines(path, lines)),
    makeDirectory: (path, ...rest) =>
      guard(path, 'mkdir', () => files.makeDirectory(path, ...rest)),
    moveDirectory: (from, to) => guard(to, 'create', () => files.moveDirectory(from, to)),
    link: (path, target) => guard(path, 'link', () => files.link(path, target)),
    linkIfUnchanged: (path, ...rest) =>
      guard(path, 'link', () => files.linkIfUnchanged(path, ...rest)),
    remove: (path) => guard(path, 'remove', () => files.remove(path)),
    removeEmpty: (path) => guard(path, 'remove', () => files.removeEmpty(path)),
    removeTree: (path, ...rest) => guard(path, 'remove', () => files.removeTree(path, ...rest)),
  };
}
