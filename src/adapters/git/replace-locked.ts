import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import { closeQuietly, errnoOf, removeQuietly, writeWhole } from '../disk-steps.js';

/**
 * Puts a text in place as git does it: by way of `<path>.lock`, which keeps every git from the file.
 * False, and nothing is changed, when somebody has the lock, when the file is not as it is meant to
 * be once we have it, or when the disk refuses: git itself can then tell why.
 */
export function replaceLocked(path: string, text: string, isAsMeant: () => boolean): boolean {
  const lock = `${path}.lock`;
  try {
    fs.mkdirSync(dirname(path), { recursive: true });
    writeLock(lock, text);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
  try {
    failpoint('bind.ref-locked');
    if (!isAsMeant()) {
      removeQuietly(lock);
      return false;
    }
    fs.renameSync(lock, path);
    return true;
  } catch (error) {
    removeQuietly(lock);
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

function writeLock(lock: string, text: string): void {
  const fd = fs.openSync(lock, 'wx', 0o666);
  try {
    writeWhole(fd, Buffer.from(text), 0);
  } catch (error) {
    removeQuietly(lock);
    throw error;
  } finally {
    closeQuietly(fd);
  }
}
