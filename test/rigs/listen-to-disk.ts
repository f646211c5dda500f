import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** What a power cut would spare, as told by the calls that were made. */
export type DiskLog = Disposable & {
  /** Each call that decides it, in order, with its place in the folder; a draft goes by `~`. */
  readonly steps: readonly string[];
  /** What is at a path now but might not be after a power cut: its content, or names on the way to it. */
  atRisk(path: string): readonly string[];
};

type Listening = {
  readonly folder: string;
  readonly steps: string[];
  readonly paths: Map<number, string>;
  /** Files with content that is not synced, by device and inode. */
  readonly contents: Set<string>;
  /** Names in directories that are not synced since. */
  readonly names: Set<string>;
};

type Patches = ReturnType<typeof takeCalls>;

/** The calls that are listened to, as they are now. */
function takeCalls() {
  const { openSync, writeSync, ftruncateSync, fsyncSync, mkdirSync } = fs;
  const { renameSync, linkSync, symlinkSync, rmSync } = fs;
  const content = { openSync, writeSync, ftruncateSync, fsyncSync };
  return { ...content, mkdirSync, renameSync, linkSync, symlinkSync, rmSync };
}

/** Listens to what is done to the files of a folder; the calls go on to the real disk. */
export function listenToDisk(folder: string): DiskLog {
  const original = takeCalls();
  const heard: Listening = {
    folder,
    steps: [],
    paths: new Map(),
    contents: new Set(),
    names: new Set(),
  };
  Object.assign(fs, contentPatches(original, heard), namePatches(original, heard));
  syncBuiltinESMExports();
  return {
    steps: heard.steps,
    atRisk: (path) => [
      ...(heard.contents.has(identityOf(fs.lstatSync(path))) ? [shown(heard, path)] : []),
      ...namesOnTheWay(folder, path)
        .filter((name) => heard.names.has(name))
        .map((name) => `the name ${shown(heard, name)}`),
    ],
    [Symbol.dispose]: () => {
      Object.assign(fs, original);
      syncBuiltinESMExports();
    },
  };
}

function contentPatches(original: Patches, heard: Listening): object {
  return {
    openSync: (path: string, ...rest: readonly (number | undefined)[]) => {
      const isNew = !fs.existsSync(path);
      const fd = Reflect.apply(original.openSync, fs, [path, ...rest]);
      heard.paths.set(fd, path);
      if (isNew) heard.names.add(path);
      return fd;
    },
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      note(heard, 'write', heard.paths.get(args[0]));
      heard.contents.add(identityOf(fs.fstatSync(args[0])));
      return original.writeSync(...args);
    },
    ftruncateSync: (fd: number, length?: number) => {
      note(heard, 'cut', heard.paths.get(fd));
      heard.contents.add(identityOf(fs.fstatSync(fd)));
      original.ftruncateSync(fd, length);
    },
    fsyncSync: (fd: number) => {
      original.fsyncSync(fd);
      const path = heard.paths.get(fd);
      note(heard, 'sync', path);
      heard.contents.delete(identityOf(fs.fstatSync(fd)));
      for (const name of heard.names) if (dirname(name) === path) heard.names.delete(name);
    },
  };
}

function namePatches(original: Patches, heard: Listening): object {
  const gone = (path: string): void => {
    note(heard, 'remove', path);
    for (const name of heard.names) {
      if (name === path || name.startsWith(`${path}/`)) heard.names.delete(name);
    }
  };
  return {
    renameSync: (from: string, to: string) => {
      original.renameSync(from, to);
      note(heard, `rename ${shown(heard, from)} to`, to);
      for (const name of heard.names) {
        if (name !== from && !name.startsWith(`${from}/`)) continue;
        heard.names.delete(name);
        heard.names.add(to + name.slice(from.length));
      }
      heard.names.add(to);
    },
    linkSync: (from: string, to: string) => {
      original.linkSync(from, to);
      heard.names.add(to);
    },
    symlinkSync: (target: string, path: string) => {
      original.symlinkSync(target, path);
      heard.names.add(path);
    },
    mkdirSync: (path: string, options: fs.MakeDirectoryOptions) => {
      original.mkdirSync(path, options);
      note(heard, 'make', path);
      heard.names.add(path);
    },
    rmSync: (path: string, options: fs.RmOptions) => {
      const isThere = fs.existsSync(path);
      original.rmSync(path, options);
      if (isThere) gone(path);
    },
  };
}

function note({ folder, steps }: Listening, step: string, path: string | undefined): void {
  if (path?.startsWith(folder) === true) steps.push(`${step} ${shown({ folder }, path)}`);
}

function shown({ folder }: Pick<Listening, 'folder'>, path: string): string {
  const name = basename(path).replace(/^\.(.+)\.[0-9a-f]{12}\.tmp$/, '$1~');
  return relative(folder, join(dirname(path), name)) || '.';
}

function identityOf({ dev, ino }: fs.Stats): string {
  return `${dev}:${ino}`;
}

function namesOnTheWay(folder: string, path: string): readonly string[] {
  return path === folder ? [] : [path, ...namesOnTheWay(folder, dirname(path))];
}
