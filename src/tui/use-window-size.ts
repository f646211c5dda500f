import { useCallback, useSyncExternalStore } from 'react';
import type { Size } from './layout.js';

/** The part of a terminal's output stream that knows its size. */
export type Terminal = {
  readonly columns?: number;
  readonly rows?: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
};

const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

/** The terminal's size, as it changes. */
export function useWindowSize(terminal: Terminal): Size {
  const subscribe = useCallback(
    (listener: () => void) => {
      terminal.on('resize', listener);
      return () => terminal.off('resize', listener);
    },
    [terminal],
  );
  const columns = useSyncExternalStore(subscribe, () => windowSize(terminal).columns);
  const rows = useSyncExternalStore(subscribe, () => windowSize(terminal).rows);
  return { columns, rows };
}

/** A terminal that does not know its size (0, or nothing) is taken for an ordinary one. */
export function windowSize(terminal: Terminal): Size {
  return {
    columns: terminal.columns || DEFAULT_SIZE.columns,
    rows: terminal.rows || DEFAULT_SIZE.rows,
  };
}
