import { watch as watchDirectory } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { failpoint } from '../domain/failpoint.js';
import type { Watch, Watching, WatchListener } from '../ports.js';

/** Watches single directories: the only kind of watch that loses nothing when files are replaced. */
export function createWatching(): Watching {
  return { watch };
}

function watch(directory: string, listener: WatchListener): Result<Watch> {
  let watcher: FSWatcher;
  try {
    failpoint('watch.before-open');
    watcher = watchDirectory(directory, { persistent: false }, (_event, name) =>
      listener.onChange(name),
    );
  } catch (error) {
    const code = errnoOf(error);
    if (code === null) throw error;
    return failed({ kind: 'io-failed', path: directory, operation: 'watch', code });
  }
  watcher.once('error', (error) => {
    // Further errors of the same watcher say nothing new, but without a listener they would throw.
    watcher.on('error', () => undefined);
    watcher.close();
    listener.onBroken(errnoOf(error) ?? 'UNKNOWN');
  });
  return success({ close: () => watcher.close() });
}

function errnoOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
