/** How what is due is told: each by itself, all in one, or not before a moment. */
export type NoticePlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'each' }
  | { readonly kind: 'together' }
  | { readonly kind: 'wait'; readonly untilMs: number };

/** A person is told something at most three times a minute; what is more comes in one notice. */
export function planNotices(due: number, toldAtMs: readonly number[], nowMs: number): NoticePlan {
  if (due === 0) return { kind: 'nothing' };
  const recent = toldAtMs.filter((atMs) => atMs > nowMs - WINDOW_MS);
  const free = MOST - recent.length;
  if (due <= free) return { kind: 'each' };
  if (free > 0) return { kind: 'together' };
  return { kind: 'wait', untilMs: Math.min(...recent) + WINDOW_MS };
}

const WINDOW_MS = 60_000;
const MOST = 3;
