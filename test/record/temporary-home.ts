import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createPaths, type Paths } from '../../src/record/paths.js';
import type { Files } from '../../src/ports.js';

export type TemporaryHome = Disposable & { readonly files: Files; readonly paths: Paths };

/** A home on the real disk that is gone at the end of the test. */
export function temporaryHome(): TemporaryHome {
  const home = mkdtempSync(join(tmpdir(), 'orange-record-'));
  return {
    files: createDiskFiles(),
    paths: createPaths(home),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
