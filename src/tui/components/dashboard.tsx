import { useInput } from 'ink';
import { type ReactElement, useLayoutEffect } from 'react';
import type { Limits } from '../detail-view.js';
import { type KeyPress, readKeys } from '../read-keys.js';
import type { SnapshotFeed } from '../snapshot-feed.js';
import type { Store } from '../store.js';
import type { UiEvent, UiState } from '../ui-state.js';
import { useNow } from '../use-now.js';
import { useSnapshot } from '../use-snapshot.js';
import { useUiState } from '../use-ui-state.js';
import { type Terminal, useWindowSize } from '../use-window-size.js';
import { buildView } from '../view-model.js';
import { Screen } from './screen.js';

export type DashboardProps = {
  readonly feed: SnapshotFeed;
  readonly ui: Store<UiState, UiEvent>;
  readonly terminal: Terminal;
  readonly clock: { nowMs(): number };
  readonly limits: Limits;
  readonly onKey: (key: KeyPress) => void;
  /** Called in the same breath as the unmount, however it comes about, a signal included. */
  readonly onUnmount: () => void;
};

const AGE_TICK_MS = 1000;
const SPINNER_TICK_MS = 100;

/** The dashboard: draws the latest snapshot and hands on every key. */
export function Dashboard(props: DashboardProps): ReactElement {
  const { onKey, onUnmount, limits } = props;
  const feed = useSnapshot(props.feed);
  const ui = useUiState(props.ui);
  const size = useWindowSize(props.terminal);
  const nowMs = useNow(props.clock, ui.jobs.length > 0 ? SPINNER_TICK_MS : AGE_TICK_MS);
  useInput((input, key) => {
    for (const press of readKeys(input, key)) onKey(press);
  });
  useLayoutEffect(() => onUnmount, [onUnmount]);
  return <Screen view={buildView({ feed, ui, size, nowMs, limits })} />;
}
