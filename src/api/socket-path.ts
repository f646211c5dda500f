import { DONE, failed } from '../domain/result.js';
import type { Result } from '../domain/result.js';

/** Node 20 cuts a longer path silently and then listens somewhere else. macOS has 104 with the NUL. */
const MAX_PATH_BYTES = 103;

export function checkSocketPath(path: string): Result<void> {
  return Buffer.byteLength(path) > MAX_PATH_BYTES
    ? failed({ kind: 'path-too-long', path, max: MAX_PATH_BYTES })
    : DONE;
}
