import type { Result } from '../domain/result.js';

/** Identity of a file's content as the kernel sees it; equal stamps mean an unchanged file. */
export type FileStamp = {
  readonly mtimeMs: number;
  readonly size: number;
  readonly inode: number;
};

export type ReadFile = { readonly text: string; readonly stamp: FileStamp };

/** The disk. Synchronous on purpose: the daemon has one writer and a write must not be interleaved. */
export interface Files {
  /**
   * Reads a regular file as UTF-8 without following a final link; anything else (link, pipe,
   * device, directory, too large, not UTF-8) is a failure. `lossy` replaces bytes that are not UTF-8.
   */
  readText(path: string, maxBytes: number, decoding?: 'strict' | 'lossy'): Result<ReadFile>;
  /** The beginning of a regular file, however long it is; bytes that are not UTF-8 are replaced. */
  readStart(path: string, maxBytes: number): Result<ReadFile>;
  /** The stamp of a regular file, `link` with its target for a symbolic link, or null when absent. */
  stat(path: string): Result<FileState>;
  /** Whether a symbolic link stands there, wherever it points: half of what `stat` takes. */
  isLink(path: string): Result<boolean>;
  /**
   * Replaces a file: temporary file, fsync, rename, directory fsync; mode 0600. One that a reboot
   * makes worthless anyway is not synced.
   */
  replace(path: string, text: string, lasting?: 'always' | 'until-reboot'): Result<FileStamp>;
  /**
   * Makes a new file under its own name, durably. A kill on the way leaves a part of it, so it
   * must show where it ends.
   */
  create(path: string, text: string): Result<void>;
  /** Writes into a file that is there and empty, durably: much quicker than to make one. */
  fill(path: string, text: string): Result<void>;
  /** Takes everything out of a file, which stays; one that is not there is a failure. */
  empty(path: string): Result<void>;
  /**
   * Replaces a file only if it still is what was read (same stamp). What was replaced keeps a name
   * that begins with `keepAs`, for whoever still writes into it.
   */
  replaceIfUnchanged(
    path: string,
    expected: FileStamp,
    text: string,
    keepAs: string,
  ): Result<Replacement>;
  /** Cuts a torn last line, appends, and syncs. `repaired` is the text cut off, if any. */
  appendLines(path: string, lines: readonly string[]): Result<{ readonly repaired: string | null }>;
  /** Makes a directory and those above it, durably unless a reboot makes them worthless anyway. */
  makeDirectory(path: string, lasting?: 'always' | 'until-reboot'): Result<void>;
  /** Gives a directory on the same disk another place, durably; if it cannot, it stays where it was. */
  moveDirectory(from: string, to: string): Result<void>;
  list(path: string): Result<readonly string[]>;
  /** Makes `path` a symbolic link to `target`, replacing what is there atomically; not synced. */
  link(path: string, target: string): Result<void>;
  /** Like `link`, but only in place of a file that still is what was read, which keeps a name. */
  linkIfUnchanged(
    path: string,
    expected: FileStamp,
    target: string,
    keepAs: string,
  ): Result<Replacement>;
  remove(path: string): Result<void>;
  /** Removes a directory with nothing in it; one that holds something is a failure. */
  removeEmpty(path: string): Result<void>;
  /**
   * Removes a tree. With `by`, a place on the same disk, it goes there in one step first: a kill on the
   * way then leaves all of it in its place, or nothing.
   */
  removeTree(path: string, by?: string): Result<void>;
}

export type FileState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly stamp: FileStamp }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'special' };

export type Replacement =
  | {
      readonly kind: 'replaced';
      readonly stamp: FileStamp;
      /** Names of what was replaced; none where the file system has no hard links. */
      readonly kept: readonly string[];
    }
  | { readonly kind: 'changed-meanwhile' };

/** Knows who has files open. */
export interface Writers {
  /** Which of these files some process has open for writing; null when that cannot be told now. */
  of(paths: readonly string[]): Promise<ReadonlySet<string> | null>;
}

export interface Watching {
  /** Calls back on any change in a directory; a hint, never proof. */
  watch(directory: string, listener: WatchListener): Result<Watch>;
}
export type WatchListener = {
  /** With the name of the entry where it is known; the directory itself goes by its own name. */
  onChange(name: string | null): void;
  /** The watch has broken, for this errno, and is over. */
  onBroken(code: string): void;
};
export interface Watch {
  close(): void;
}

/** Knows whether anything has happened in directory trees, for as long as it watches them. */
export interface Stillness {
  /**
   * Watches directories of a tree, given from its top, from now on. Gives the directories in them
   * that were not named; null when the tree cannot be watched, and then it is not.
   */
  watch(top: string, directories: readonly string[]): Promise<readonly string[] | null>;
  /** The same for further directories of a tree, in which nothing must have happened so far. */
  watchMore(top: string, directories: readonly string[]): Promise<readonly string[] | null>;
  /** Whether nothing at all has happened in them since, up to this moment; in doubt, it has. */
  isStill(top: string): Promise<boolean>;
  /** The same, and ends watching. */
  take(top: string): Promise<boolean>;
  /** Ends watching; a tree that is not watched is fine. */
  forget(top: string): void;
}
