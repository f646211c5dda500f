import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { platform } from 'node:process';

/** Directories that are watched in all; a tree that needs more is not watched. */
const MAX_DIRECTORIES = 8192;
const FLUSH_LIMIT_MS = 200;
/** File systems on which the kernel tells of everything that anybody changes. */
const LOCAL_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2 to ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs, through which a container sees its files
]);

type Tree = { readonly watchers: fs.FSWatcher[] };

/**
 * Tells whether anything at all has happened in directory trees since they were given. Needs an event
 * loop that watches nothing else: then the kernel can drop events only after it has told of one.
 */
export class StillTrees {
  readonly #notes: string;
  readonly #trees = new Map<string, Tree>();
  readonly #awaited = new Map<string, () => void>();
  #noteWatcher: fs.FSWatcher | null = null;
  #notesWritten = 0;

  /** `notes` is a directory of its own, in which files come and go. */
  constructor(notes: string) {
    this.#notes = notes;
  }

  /**
   * Watches directories of a tree, given from its top, beside those it watches already. Gives the
   * directories in them that were not named, or null when the tree cannot be watched.
   */
  watch(top: string, directories: readonly string[]): readonly string[] | null {
    const tree = this.#trees.get(top) ?? { watchers: [] };
    this.#trees.set(top, tree);
    try {
      this.#watchNotes();
      if (!isLocal(top) || this.#count() + directories.length > MAX_DIRECTORIES)
        throw new TooMuch();
      for (const each of directories) this.#watchDirectory(top, tree, join(top, each));
      const named = new Set(directories.map((each) => join(top, each)));
      // Read only now: what is made from here on is told of.
      const others = directories.flatMap((each) => subdirectories(join(top, each)));
      return others.filter((path) => !named.has(path)).map((path) => relative(top, path));
    } catch (error) {
      this.forget(top);
      if (error instanceof TooMuch || isSystemError(error)) return null;
      throw error;
    }
  }

  /** Whether nothing has happened in a tree since it is watched, until now. */
  async isStill(top: string): Promise<boolean> {
    if (!this.#trees.has(top)) return false;
    return (await this.#isToldOfAll()) && this.#trees.has(top);
  }

  forget(top: string): void {
    const tree = this.#trees.get(top);
    this.#trees.delete(top);
    for (const watcher of tree?.watchers ?? []) watcher.close();
  }

  close(): void {
    for (const top of this.#trees.keys()) this.forget(top);
    this.#noteWatcher?.close();
    this.#noteWatcher = null;
  }

  #watchDirectory(top: string, tree: Tree, path: string): void {
    const stir = (): void => {
      // A tree that was given anew is another one.
      if (this.#trees.get(top) === tree) this.forget(top);
    };
    const watcher = fs.watch(path, stir);
    watcher.on('error', stir);
    tree.watchers.push(watcher);
  }

  #watchNotes(): void {
    if (this.#noteWatcher !== null) return;
    fs.mkdirSync(this.#notes, { recursive: true, mode: 0o700 });
    const watcher = fs.watch(this.#notes, (_event, name) => {
      if (name !== null) this.#awaited.get(name)?.();
    });
    watcher.on('error', () => this.close());
    this.#noteWatcher = watcher;
  }

  /** The kernel tells in order: once it has told of a note of ours, it has told of all before. */
  async #isToldOfAll(): Promise<boolean> {
    this.#notesWritten += 1;
    const name = String(this.#notesWritten);
    const path = join(this.#notes, name);
    let timer: NodeJS.Timeout | undefined;
    const told = new Promise<boolean>((resolve) => {
      this.#awaited.set(name, () => resolve(true));
      timer = setTimeout(() => resolve(false), FLUSH_LIMIT_MS);
    });
    try {
      fs.writeFileSync(path, '', { mode: 0o600 });
      return await told;
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(name);
      fs.rmSync(path, { force: true });
    }
  }

  #count(): number {
    return [...this.#trees.values()].reduce((sum, { watchers }) => sum + watchers.length, 0);
  }
}

class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

function isLocal(path: string): boolean {
  return platform === 'linux' && LOCAL_SYSTEMS.has(fs.statfsSync(path).type);
}

function subdirectories(path: string): readonly string[] {
  return fs
    .readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
