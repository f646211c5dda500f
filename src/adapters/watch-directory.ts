import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import type { Watch, Watching } from '../ports.js';

/**
 * Watches single directories. A watch that breaks later calls back once with null and is over:
 * the sweep, which is the truth, goes on without it.
 */
export function createWatching(): Watching {
  return {
    watch: (directory, onChange): Result<Watch> => {
      let watcher: FSWatcher;
      try {
        watcher = watch(directory, { persistent: false }, (_event, name) => onChange(name));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) {
          throw error;
        }
        return failed({ kind: 'io-failed', path: directory, operation: 'watch', code: error.code });
      }
      watcher.once('error', () => {
        // Further errors of the same watcher say nothing new, but without a listener they would throw.
        watcher.on('error', () => undefined);
        watcher.close();
        onChange(null);
      });
      return success({ close: () => watcher.close() });
    },
  };
}
