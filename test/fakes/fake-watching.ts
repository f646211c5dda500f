import { failed, success } from '../../src/domain/result.js';
import type { Watching, WatchListener } from '../../src/ports.js';

/** A disk whose directories can be watched, unless it is told otherwise. */
export function createFakeWatching() {
  const open = new Map<string, WatchListener>();
  const refusals = new Map<string, string>();
  let refusal: string | null = null;
  const watching: Watching = {
    watch: (directory, listener) => {
      const code = refusal ?? refusals.get(directory);
      if (code !== undefined) {
        return failed({ kind: 'io-failed', path: directory, operation: 'watch', code });
      }
      open.set(directory, listener);
      return success({
        close: () => {
          if (open.get(directory) === listener) open.delete(directory);
        },
      });
    },
  };
  return {
    watching,
    watched: () => [...open.keys()].toSorted(),
    /** From now on this directory, or every one, cannot be watched; null lifts it. */
    refuse: (code: string | null, directory?: string) => {
      if (directory === undefined) refusal = code;
      else if (code === null) refusals.delete(directory);
      else refusals.set(directory, code);
    },
    change: (directory: string, name: string | null) => open.get(directory)?.onChange(name),
    breakWatch: (directory: string, code: string) => {
      const listener = open.get(directory);
      open.delete(directory);
      listener?.onBroken(code);
    },
  };
}

/** A clock that stands still until it is moved. */
export function createFakeClock() {
  let ms = 1000;
  return {
    nowMs: () => Date.UTC(2026, 0, 1) + ms,
    monotonicMs: () => ms,
    pass: (byMs: number) => {
      ms += byMs;
    },
  };
}
