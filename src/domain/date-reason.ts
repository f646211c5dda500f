import { instantOf } from './instant.js';
import type { WaitReason } from './task-view.js';

/** A reason with its times as they are now: how long it has been so, when orange goes on. */
export function dateReason(reason: WaitReason, nowMs: number): WaitReason {
  const { code, message, since, dueMs } = reason;
  if (dueMs !== undefined)
    return { ...reason, message: `${message} ${describeLeft(dueMs - nowMs)}` };
  const sinceMs = code === 'stalled' && since !== undefined ? instantOf(since) : null;
  return sinceMs === null
    ? reason
    : { ...reason, message: `${message} for ${describeSpan(nowMs - sinceMs)}` };
}

function describeLeft(leftMs: number): string {
  return leftMs > A_MOMENT_MS ? `in ${describeSpan(leftMs)}` : 'in a moment';
}

const A_MOMENT_MS = 3000;

/** A span in its largest whole unit, as the columns of ages have it. */
function describeSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
