import { statfsSync } from 'node:fs';

const LEAST_BYTES = 64 * 1024;

/** Whether a disk takes no more of what a home needs; false where it does not tell. */
export function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < LEAST_BYTES;
  } catch {
    return false;
  }
}
