import type { SalvageEntry } from '../domain/salvage.js';

/**
 * Whether saved work may go for good: it was dropped, or its task was merged, and that long enough
 * ago. What was cancelled, or whose age nobody knows, stays until a person drops it.
 */
export function isPrunable(
  entry: Pick<SalvageEntry, 'saved_at' | 'dropped_at'>,
  given: { readonly before: string; isMerged(): boolean },
): boolean {
  if (entry.dropped_at !== null) return entry.dropped_at < given.before;
  return entry.saved_at !== null && entry.saved_at < given.before && given.isMerged();
}
