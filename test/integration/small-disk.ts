import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, of that size; null where none can be mounted. */
export function mountDisk(size: string): (Disposable & { readonly path: string }) | null {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'od-')));
  const unmount = (): void => {
    runs('umount', '--lazy', path);
    rmSync(path, { recursive: true, force: true });
  };
  if (runs('mount', '-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path)) {
    return { path, [Symbol.dispose]: unmount };
  }
  rmSync(path, { recursive: true });
  return null;
}

/** Fills a disk to its last block; gives what makes room again. */
export function fillDisk(directory: string): () => void {
  const path = join(directory, 'filler');
  const block = Buffer.alloc(4096, 1);
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

/**
 * Lets nobody write in a directory by its path until disposed; null where that takes more rights.
 * Files that are open stay open, so this can be done under a running daemon.
 */
export function makeReadOnly(directory: string): Disposable | null {
  if (!runs('mount', '--bind', directory, directory)) return null;
  const undo = (): void => void runs('umount', '--lazy', directory);
  if (runs('mount', '-o', 'remount,ro,bind', directory)) return { [Symbol.dispose]: undo };
  undo();
  return null;
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
