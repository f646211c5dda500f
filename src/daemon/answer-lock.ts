import type { LockView } from '../domain/lock.js';
import type { LockRequest, Request } from '../domain/request.js';
import { success, type Result } from '../domain/result.js';
import { listLocks } from '../engine/reservations/list-locks.js';
import type { LiveWorld } from './live-world.js';
import type { LockBook } from './lock-book.js';
import type { Loop } from './loop.js';

type Parts = { readonly world: LiveWorld; readonly locks: LockBook; readonly loop: Loop };

export function isLockRequest(request: Request): request is LockRequest {
  return request.kind === 'lock.reserve' || request.kind === 'lock.release';
}

/** Reserves by hand or lets go again; whoever waited for it is looked at at once. */
export function answerLock(
  { world, locks, loop }: Parts,
  request: LockRequest,
): Result<{ readonly lock?: LockView }> {
  if (request.kind === 'lock.release') {
    const released = locks.release(request.id);
    if (!released.ok) return released;
    loop.see({ kind: 'schedule' });
    return success({});
  }
  const reserved = locks.reserve(request);
  if (!reserved.ok) return reserved;
  loop.see({ kind: 'schedule' });
  const { id } = reserved.value;
  const lock = listLocks(world, (ttl) => locks.leaseEnd(ttl)).find((view) => view.id === id);
  return success(lock === undefined ? {} : { lock });
}
