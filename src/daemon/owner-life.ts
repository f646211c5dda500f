import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ProcessTable } from '../adapters/process-table.js';
import { decodeOwner, type OwnerIdentity } from '../record/owner-record.js';

/** `unknown`: nobody here can tell, for example about a process in another container. */
export type Life = 'alive' | 'dead' | 'unknown';

export function identifyOwner(processes: ProcessTable, pid: number): OwnerIdentity {
  const [bootId, startTime] = processes.markOf(pid)?.start?.split('/') ?? [];
  return {
    pid,
    startTime: startTime ?? null,
    bootId: bootId ?? null,
    namespace: readNamespace(),
    host: hostname(),
  };
}

/** Whether an owner still lives, judged by a process that knows itself as `here`. */
export function lifeOf(processes: ProcessTable, owner: OwnerIdentity, here: OwnerIdentity): Life {
  if (owner.bootId !== here.bootId) {
    // Another boot of this machine ended every process; another machine may share the home.
    return owner.host === here.host ? 'dead' : 'unknown';
  }
  if (owner.namespace !== here.namespace) return 'unknown';
  const mark = processes.markOf(owner.pid);
  if (mark === null) return 'dead';
  if (mark.start === null || owner.startTime === null) return 'unknown';
  return mark.start === `${owner.bootId}/${owner.startTime}` ? 'alive' : 'dead';
}

/** Whether somebody who lives has the home whose `run` directory this is, as far as can be told. */
export function hasLivingOwner(
  processes: ProcessTable,
  runDirectory: string,
  here: OwnerIdentity,
): boolean {
  const text = readOrNull(join(runDirectory, OWNER_FILE));
  const owner = text === null ? null : decodeOwner(text);
  return owner !== null && !owner.isReleased && lifeOf(processes, owner, here) === 'alive';
}

/** One more name of the record of whoever has a home, beside its numbered one. */
export const OWNER_FILE = 'lock.owner.json';

function readNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    if (readCode(error) !== null) return null;
    throw error;
  }
}

/** A file's text, or null when there is no such file. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (readCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The code of an error of the system; null for any other. */
export function readCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
