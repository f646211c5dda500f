import { join } from 'node:path';
import type { createDiskFiles } from '../adapters/disk-files.js';
import { createProcessTable } from '../adapters/process-table.js';
import { decodeOwner } from '../record/owner-record.js';
import type { Paths } from '../record/paths.js';

/** The living process that has this home, known for certain by the moment it was started. */
export type DaemonHolder = {
  readonly pid: number;
  isAlive(): boolean;
  signal(signal: NodeJS.Signals): void;
};

const OWNER_LIMIT_BYTES = 65_536;

/** Finds who has a home by the record in it; null when nobody has, or when that cannot be proven. */
export function findDaemonHolder({
  files,
  paths,
}: {
  readonly files: ReturnType<typeof createDiskFiles>;
  readonly paths: Paths;
}): DaemonHolder | null {
  const read = files.readText(join(paths.runDir, 'lock.owner.json'), OWNER_LIMIT_BYTES);
  const owner = read.ok ? decodeOwner(read.value.text) : null;
  if (owner === null || owner.isReleased) return null;
  if (owner.bootId === null || owner.startTime === null) return null;
  const processes = createProcessTable();
  const mark = { pid: owner.pid, start: `${owner.bootId}/${owner.startTime}` };
  if (processes.markOf(owner.pid)?.start !== mark.start) return null;
  return {
    pid: owner.pid,
    isAlive: () => processes.isAlive(mark),
    signal: (signal) => processes.signal(mark, signal),
  };
}
