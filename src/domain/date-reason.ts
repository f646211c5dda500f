import type { WaitReason } from './task-view.js';

/** A reason with its times as they are now: how long it has been so, when orange goes on. */
export function dateReason(reason: WaitReason, nowMs: number): WaitReason {
  const { code, message, since, due } = reason;
  if (due !== undefined) return { ...reason, message: `${message} ${describeUntil(due, nowMs)}` };
  if (code !== 'stalled' || since === undefined) return reason;
  return { ...reason, message: `${message} for ${describeSpan(nowMs - Date.parse(since))}` };
}

function describeUntil(due: string, nowMs: number): string {
  const leftMs = Date.parse(due) - nowMs;
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
