import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill } from 'node:process';

/** What tells a process from every other one, also after its pid was given away again. */
export type OwnerIdentity = {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat; null where there is no /proc. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  /** The pid namespace: in another one the same number means another process. */
  readonly namespace: string | null;
  readonly host: string;
};

/** `unknown`: nobody here can tell, for example about a process in another container. */
export type Life = 'alive' | 'dead' | 'unknown';

export function identifyOwner(pid: number): OwnerIdentity {
  const seen = readProcess(pid);
  return {
    pid,
    startTime: seen?.startTime ?? null,
    bootId: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: readOrNull(() => readlinkSync('/proc/self/ns/pid')),
    host: hostname(),
  };
}

/** Whether an owner still lives, judged by a process that knows itself as `here`. */
export function lifeOf(owner: OwnerIdentity, here: OwnerIdentity): Life {
  if (owner.bootId !== here.bootId) {
    // Another boot of this machine ended every process; another machine's home is shared.
    return owner.host === here.host ? 'dead' : 'unknown';
  }
  if (owner.namespace !== here.namespace) return 'unknown';
  if (here.startTime === null) return lifeWithoutProc(owner.pid);
  const seen = readProcess(owner.pid);
  if (seen === null || seen.isZombie) return 'dead';
  if (owner.startTime === null) return 'unknown';
  return seen.startTime === owner.startTime ? 'alive' : 'dead';
}

function lifeWithoutProc(pid: number): Life {
  try {
    kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return isErrorWithCode(error) && error.code === 'ESRCH' ? 'dead' : 'unknown';
  }
}

type SeenProcess = { readonly startTime: string; readonly isZombie: boolean };

function readProcess(pid: number): SeenProcess | null {
  const text = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  // The name in parentheses may hold spaces and parentheses itself; the state follows the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  if (state === undefined || startTime === undefined) return null;
  return { startTime, isZombie: state === 'Z' || state === 'X' };
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (isErrorWithCode(error)) return null;
    throw error;
  }
}

function isErrorWithCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
