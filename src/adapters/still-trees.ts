import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { platform } from 'node:process';

/** Directories that are watched in all; a tree that needs more is not watched. */
const MAX_DIRECTORIES = 8192;
const FLUSH_LIMIT_MS = 200;
const MAX_LATE_STIRS = 1000;
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

type Tree = {
  readonly watchers: fs.FSWatcher[];
  /** Which directory is at its top: another may come to its place without a stir in it. */
  readonly identity: string;
  stirs: number;
};

/**
 * Tells whether anything at all has happened in directory trees since they were given. Needs an event
 * loop that watches nothing else: then the kernel can drop events only after it has told of one. Of
 * which tree they would have been it does not say, so a stir in one counts for all.
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
   * Watches directories of a tree, given from its top, from now on. Gives the directories in them
   * that were not named, or null when the tree cannot be watched.
   */
  watch(top: string, directories: readonly string[]): readonly string[] | null {
    if (this.#trees.has(top)) this.#forgetAll();
    return this.#attempt(top, () => {
      if (!canWatch(top)) throw new TooMuch();
      const tree = { watchers: [], identity: identify(top), stirs: 0 };
      this.#trees.set(top, tree);
      return this.#add(top, tree, directories);
    });
  }

  /** Watches further directories of a tree, which cannot be done any more once something has happened. */
  watchMore(top: string, directories: readonly string[]): readonly string[] | null {
    const tree = this.#trees.get(top);
    return tree === undefined ? null : this.#attempt(top, () => this.#add(top, tree, directories));
  }

  /** Whether nothing has happened in a tree since it is watched, until now. */
  async isStill(top: string): Promise<boolean> {
    const tree = this.#trees.get(top);
    if (tree === undefined || !(await this.#isToldOfAll())) return false;
    return this.#trees.get(top) === tree && isAtPlace(top, tree);
  }

  /** The same, and ends watching it. What was not told of yet may have kept other things from being told. */
  async take(top: string): Promise<boolean> {
    const tree = this.#trees.get(top);
    const isStill = await this.isStill(top);
    if (tree === undefined || this.#trees.get(top) !== tree) return isStill;
    this.#trees.delete(top);
    // Whoever asks need not wait until thousands of directories are let go.
    setImmediate(() => closeAll(tree));
    return isStill;
  }

  forget(top: string): void {
    const tree = this.#trees.get(top);
    this.#trees.delete(top);
    if (tree !== undefined) closeAll(tree);
  }

  close(): void {
    this.#forgetAll();
    this.#noteWatcher?.close();
    this.#noteWatcher = null;
  }

  #attempt<T>(top: string, step: () => T): T | null {
    try {
      this.#watchNotes();
      return step();
    } catch (error) {
      this.forget(top);
      if (error instanceof TooMuch || isSystemError(error)) return null;
      throw error;
    }
  }

  #add(top: string, tree: Tree, directories: readonly string[]): readonly string[] {
    if (this.#count() + directories.length > MAX_DIRECTORIES) throw new TooMuch();
    for (const each of directories) this.#watchDirectory(top, tree, join(top, each));
    const named = new Set(directories.map((each) => join(top, each)));
    // Read only now: what is made from here on is told of.
    const others = directories.flatMap((each) => subdirectories(join(top, each)));
    return others.filter((path) => !named.has(path)).map((path) => relative(top, path));
  }

  #watchDirectory(top: string, tree: Tree, path: string): void {
    const stir = (): void => {
      tree.stirs += 1;
      // One that is being let go counts no more, unless it could have filled the queue.
      if (this.#trees.get(top) === tree || tree.stirs > MAX_LATE_STIRS) this.#forgetAll();
    };
    const watcher = fs.watch(path, stir);
    watcher.on('error', stir);
    tree.watchers.push(watcher);
  }

  #forgetAll(): void {
    for (const top of this.#trees.keys()) this.forget(top);
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

function closeAll({ watchers }: Tree): void {
  for (const watcher of watchers) watcher.close();
}

class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

function canWatch(top: string): boolean {
  if (platform !== 'linux' || !LOCAL_SYSTEMS.has(fs.statfsSync(top).type)) return false;
  // To end watching puts an event of its own into the queue for each directory.
  const queue = Number(fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  return queue >= 2 * MAX_DIRECTORIES && !hasMountBelow(top);
}

function isAtPlace(top: string, { identity }: Tree): boolean {
  try {
    return identify(top) === identity && !hasMountBelow(top);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

function identify(path: string): string {
  const { dev, ino } = fs.statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** The kernel does not tell of what is mounted over a directory. */
function hasMountBelow(top: string): boolean {
  const physical = fs.realpathSync(top);
  return fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some((line) => unescapeMount(line.split(' ')[4] ?? '').startsWith(`${physical}/`));
}

function unescapeMount(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
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
