import { describe, expect, it } from 'vitest';
import { DirectoryWatches } from '../../src/daemon/directory-watches.js';
import type { Watching } from '../../src/ports.js';

/** Directories of which none can be watched while `errno` is set. */
function openWatches() {
  const state = { errno: null as string | null, nowMs: 0, asked: [] as string[] };
  const told: (readonly [string, string | null])[] = [];
  const watching: Watching = {
    watch: (directory) => {
      state.asked.push(directory);
      return state.errno === null
        ? { ok: true, value: { close: () => undefined } }
        : {
            ok: false,
            failure: { kind: 'io-failed', path: directory, operation: 'watch', code: state.errno },
          };
    },
  };
  const watches = new DirectoryWatches({
    watching,
    clock: { monotonicMs: () => state.nowMs },
    onChange: (directory, name) => told.push([directory, name]),
  });
  return { watches, state, told };
}

describe('directories that cannot be watched', () => {
  it.each(['ENOSPC', 'EMFILE'])(
    'F18 for want of watches (%s) are named as trouble, and watched once there are some again',
    (errno) => {
      const { watches, state, told } = openWatches();
      state.errno = errno;
      expect(watches.add('/tasks/a')).toBe(false);
      expect(watches.add('/tasks/b')).toBe(false);
      expect([watches.count, watches.trouble]).toEqual([0, errno]);
      state.errno = null;
      state.nowMs = 5000;
      watches.retry();
      expect([watches.count, watches.trouble]).toEqual([2, null]);
      expect(told).toEqual([
        ['/tasks/a', null],
        ['/tasks/b', null],
      ]);
    },
  );

  it('F18 cost one try each time while there are no watches, not one for each directory', () => {
    const { watches, state } = openWatches();
    state.errno = 'ENOSPC';
    for (const name of ['a', 'b', 'c']) watches.add(`/tasks/${name}`);
    state.asked.length = 0;
    watches.retry();
    expect(state.asked).toEqual([]);
    state.nowMs = 5000;
    watches.retry();
    expect(state.asked).toEqual(['/tasks/a']);
  });

  it('because they are not there are no trouble', () => {
    const { watches, state } = openWatches();
    state.errno = 'ENOENT';
    watches.add('/tasks/gone');
    expect(watches.trouble).toBeNull();
  });
});
