import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createPaths, type Paths } from '../../src/record/paths.js';
import type { Files } from '../../src/ports.js';

export type TemporaryHome = Disposable & { readonly files: Files; readonly paths: Paths };

/** Where a sync costs nothing, if there is such a place: what is synced is not what is tested. */
const ROOM = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A home on the real disk that is gone at the end of the test. */
export function temporaryHome(): TemporaryHome {
  const home = mkdtempSync(join(ROOM, 'orange-record-'));
  return {
    files: createDiskFiles(),
    paths: createPaths(home),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
