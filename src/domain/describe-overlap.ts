import type { OverlapView } from './lock.js';

/** What both have: `src/a.ts (holds src), docs`; what the holder calls the same is said once. */
export function describeOverlap({ paths, held }: Pick<OverlapView, 'paths' | 'held'>): string {
  const pairs = paths.map((path, at) => {
    const other = held[at] ?? path;
    return other === path ? path : `${path} (holds ${other})`;
  });
  return pairs.join(', ');
}
