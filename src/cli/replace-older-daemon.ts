import type { Client } from '../api/client.js';
import { isOlderVersion } from '../domain/is-older-version.js';
import { success, type Result } from '../domain/result.js';

/** How a daemon of an older version is made to give way to this one. */
export type Replacing = {
  /** The version of this program. */
  readonly version: string;
  /** Asks the daemon to stop and waits until it is gone; agents keep running. */
  end(pid: number): Promise<Result<void>>;
  onReplacing(olderVersion: string): void;
};

/** Ends the daemon behind a first contact if it is older than this program; a newer one is left. */
export async function replaceOlderDaemon(
  contact: Result<Client>,
  replacing: Replacing | null,
): Promise<Result<'kept' | 'ended'>> {
  const found = daemonBehind(contact);
  if (replacing === null || found === null) return success('kept');
  if (!isOlderVersion(found.version, replacing.version)) return success('kept');
  replacing.onReplacing(found.version);
  const ended = await replacing.end(found.pid);
  return ended.ok ? success('ended') : ended;
}

function daemonBehind(
  contact: Result<Client>,
): { readonly version: string; readonly pid: number } | null {
  if (contact.ok)
    return { version: contact.value.greeting.orange, pid: contact.value.greeting.pid };
  const { failure } = contact;
  if (failure.kind !== 'protocol-mismatch') return null;
  return { version: failure.theirVersion, pid: failure.pid };
}
