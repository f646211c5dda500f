const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, in the few characters of a column: 12s, 5m, 3h, 2d. */
export function age(since: string, nowMs: number): string {
  const start = Date.parse(since);
  if (Number.isNaN(start)) return '–';
  const seconds = Math.max(0, Math.floor((nowMs - start) / 1000));
  if (seconds < MINUTE) return `${seconds}s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h`;
  return `${Math.min(9999, Math.floor(seconds / DAY))}d`;
}
