import { chmodSync, lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { DONE, failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';

/** Makes the socket's directory, or makes an existing one private. */
export function prepareSocketDirectory(socketPath: string): Result<void> {
  const directory = dirname(socketPath);
  return attempt(directory, 'make-private', () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if ((lstatSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
  });
}

/**
 * Gives a listening socket its name, in place of one that a dead daemon left: only the owner of the
 * home lock may call this. Gives back the inode, by which the socket is known again at the end.
 */
export function publishSocket(listeningPath: string, socketPath: string): Result<number> {
  const found = attempt(socketPath, 'look-at', () =>
    lstatSync(socketPath, { throwIfNoEntry: false }),
  );
  if (!found.ok) return found;
  if (found.value !== undefined && !found.value.isSocket()) {
    return failed({ kind: 'io-failed', path: socketPath, operation: 'replace', code: 'EEXIST' });
  }
  return attempt(socketPath, 'publish', () => {
    const { ino } = lstatSync(listeningPath);
    renameSync(listeningPath, socketPath);
    return ino;
  });
}

/** Removes the socket if it still is this daemon's own. */
export function withdrawSocket(socketPath: string, inode: number): Result<void> {
  const withdrawn = attempt(socketPath, 'remove', () => {
    if (lstatSync(socketPath, { throwIfNoEntry: false })?.ino === inode) unlinkSync(socketPath);
  });
  return withdrawn.ok || readCode(withdrawn.failure) !== 'ENOENT' ? withdrawn : DONE;
}

function readCode(failure: object): unknown {
  return 'code' in failure ? failure.code : null;
}

function attempt<T>(path: string, operation: string, step: () => T): Result<T> {
  try {
    return success(step());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
    return failed({ kind: 'io-failed', path, operation, code: error.code });
  }
}
