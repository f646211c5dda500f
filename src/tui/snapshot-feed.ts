import { applyChange } from '../api/apply-change.js';
import type { Change } from '../api/protocol.js';
import type { Failure } from '../domain/failure.js';
import type { Snapshot } from '../domain/task-view.js';
import type { DashboardClient } from './dashboard-client.js';
import { createStore, type Store } from './store.js';

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** null: the daemon was there and went away. */
  | { readonly kind: 'lost'; readonly failure: Failure | null };

/** The last snapshot known, and whether it is still kept up to date. */
export type FeedState = { readonly snapshot: Snapshot | null; readonly connection: Connection };

export type SnapshotFeed = Pick<Store<FeedState, FeedState>, 'get' | 'subscribe'> & {
  /** Tries again at once, if the daemon is away. */
  readonly retryNow: () => void;
  readonly stop: () => void;
};

// Changes that come in a burst are drawn together.
const FRAME_MS = 30;
const RETRY_DELAYS_MS: readonly number[] = [200, 400, 800, 1000];

/** Subscribes, and subscribes again once a daemon that went away is back. */
export function startSnapshotFeed(
  client: Pick<DashboardClient, 'subscribe'>,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
  onAlert: (words: string) => void = () => {},
): SnapshotFeed {
  const store = createStore<FeedState, FeedState>(
    { snapshot: null, connection: { kind: 'connecting' } },
    (_, next) => next,
  );
  const retries = retryTimer(retryDelaysMs, connect);

  function lose(failure: Failure | null): void {
    if (retries.isStopped()) return;
    store.dispatch({ ...store.get(), connection: { kind: 'lost', failure } });
    retries.schedule();
  }

  function connect(): void {
    // A push may be read together with the answer it follows, before the answer is seen here.
    const waiting: Change[] = [];
    let phase: 'asking' | 'live' | 'over' = 'asking';
    const show = (from: Snapshot) => {
      const snapshot = waiting.splice(0).reduce(applyChange, from);
      store.dispatch({ snapshot, connection: { kind: 'live' } });
    };
    const showWaiting = () => {
      const { snapshot } = store.get();
      if (phase === 'live' && !retries.isStopped() && snapshot !== null) show(snapshot);
    };
    const onChange = (change: Change) => {
      if (change.alert !== undefined && !retries.isStopped()) onAlert(change.alert);
      waiting.push(change);
      if (phase === 'live' && waiting.length === 1) setTimeout(showWaiting, FRAME_MS);
    };
    const end = (failure: Failure | null) => {
      if (phase === 'over') return;
      phase = 'over';
      lose(failure);
    };
    const answer = async () => {
      const result = await client.subscribe(onChange, () => end(null));
      if (retries.isStopped() || phase === 'over') return;
      if (!result.ok) return end(result.failure);
      phase = 'live';
      retries.reset();
      show(result.value);
    };
    void answer();
  }

  connect();
  return {
    get: store.get,
    subscribe: store.subscribe,
    retryNow: retries.runNow,
    stop: retries.stop,
  };
}

/** Runs `retry` after ever longer waits. */
function retryTimer(delaysMs: readonly number[], retry: () => void) {
  let attempt = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  const run = () => {
    timer = null;
    retry();
  };
  return {
    isStopped: () => isStopped,
    reset: () => {
      attempt = 0;
    },
    schedule: () => {
      timer = setTimeout(run, delaysMs[Math.min(attempt, delaysMs.length - 1)] ?? 1000);
      attempt += 1;
    },
    runNow: () => {
      if (timer === null || isStopped) return;
      clearTimeout(timer);
      run();
    },
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
