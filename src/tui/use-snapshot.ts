import { useSyncExternalStore } from 'react';
import type { FeedState, SnapshotFeed } from './snapshot-feed.js';

/** The dashboard's one subscription to the daemon, as a value. */
export function useSnapshot(feed: SnapshotFeed): FeedState {
  return useSyncExternalStore(feed.subscribe, feed.get);
}
