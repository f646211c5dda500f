import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { failpoint, writeFailpoint } from '../domain/failpoint.js';
import type { FileStamp, Replacement } from '../ports.js';
import {
  closeQuietly,
  closeToOthers,
  errnoOf,
  FileRefused,
  ignoringErrno,
  isSameStamp,
  removeQuietly,
  stampOf,
  stateOf,
  syncDirectory,
  temporaryBeside,
  uniqueName,
  writeWhole,
} from './disk-steps.js';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const FILE_MODE = 0o600;
/** A draft of somebody else's that is older than this is not about to be put in place. */
const RIVAL_AGE_MS = 60_000;
const MAX_RIVALS = 8;
/** A file system without hard links: what is replaced is then looked at no more. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'EXDEV',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
]);

type Lasting = 'always' | 'until-reboot';

/** What is to stand at a path. */
export type Draft = {
  readonly lasting: Lasting;
  /** Makes it under a temporary name, durably. */
  make(temporary: string): FileStamp;
  /** Called at each step of putting it in place. */
  reached(step: 'renamed' | 'directory-synced'): void;
  /** Whether a file beside it may be another writer's draft of the same. */
  isRival(name: string): boolean;
};

export function textDraft(path: string, text: string, lasting: Lasting): Draft {
  const reached = (step: 'renamed' | 'directory-synced'): void => {
    if (step === 'renamed') writeFailpoint(path, 'renamed');
    else reachDirectorySync(path);
  };
  return {
    lasting,
    make: (temporary) => writeNew(temporary, text, { path, lasting }),
    reached,
    isRival: (name) => !name.endsWith('.jsonl'),
  };
}

function reachDirectorySync(path: string): void {
  writeFailpoint(path, 'directory-synced');
}

function beginWrite(path: string): void {
  writeFailpoint(path, 'before-write');
}

/** Makes a file that nobody else has made. */
function writeNew(
  name: string,
  text: string,
  { path, lasting }: { readonly path: string; readonly lasting: Lasting },
): FileStamp {
  beginWrite(path);
  const fd = fs.openSync(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);
  try {
    writeOut(fd, text, { path, lasting });
    return stampOf(fs.fstatSync(fd));
  } finally {
    closeQuietly(fd);
  }
}

function writeOut(
  fd: number,
  text: string,
  { path, lasting }: { readonly path: string; readonly lasting: Lasting },
): void {
  writeWhole(fd, Buffer.from(text, 'utf8'), 0);
  writeFailpoint(path, 'written');
  if (lasting === 'always') fs.fsyncSync(fd);
  writeFailpoint(path, 'synced');
}

/** Writes durably into a file that is there and empty: neither a file nor a name has to be made. */
export function fillFile(path: string, text: string): void {
  beginWrite(path);
  const fd = fs.openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile() || stats.size > 0) throw new FileRefused('EEXIST');
    try {
      writeOut(fd, text, { path, lasting: 'always' });
    } catch (error) {
      ignoringErrno(() => fs.ftruncateSync(fd, 0));
      throw error;
    }
  } finally {
    closeQuietly(fd);
  }
}

/** Makes a file durably under its own name: one wait for the disk less than by way of a draft. */
export function createFile(path: string, text: string): void {
  try {
    writeNew(path, text, { path, lasting: 'always' });
    syncDirectory(dirname(path));
    reachDirectorySync(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') removeQuietly(path);
    throw error;
  }
}

export function linkDraft(path: string, target: string, lasting: Lasting): Draft {
  return {
    lasting,
    make: (temporary) => {
      fs.symlinkSync(target, temporary);
      return stampOf(fs.lstatSync(temporary));
    },
    reached: (step) => {
      if (step === 'renamed') failpoint('disk.linked');
    },
    // A link stands in a repository, whose other files are none of ours.
    isRival: (name) => name.includes(basename(path)),
  };
}

/** Puts a draft in place of whatever is there. */
export function replaceAny(path: string, draft: Draft): FileStamp {
  return withDraft(path, draft, (temporary) => {
    const isNew = stateOf(path).kind === 'absent';
    const undo = (): void => {
      if (isNew) removeQuietly(path);
    };
    putInPlace(temporary, path, { draft, undo });
  });
}

class StaleFile extends Error {
  override readonly name = 'StaleFile';
}

/**
 * Puts a draft in place of a file that still is what was read. What is replaced keeps a name under
 * `keepAs`, closed to others, and so does a draft of somebody else's that was put in place between our
 * last look and our rename: whoever wrote into one of them has lost nothing.
 */
export function replaceUnchanged(
  path: string,
  expected: FileStamp,
  { draft, keepAs }: { readonly draft: Draft; readonly keepAs: string },
): Replacement {
  if (!isUnchanged(path, expected)) return { kind: 'changed-meanwhile' };
  const kept: string[] = [];
  try {
    const stamp = withDraft(path, draft, (temporary) => {
      const rivals = keepRivals(path, { temporary, keepAs, draft });
      kept.push(...rivals.map(({ name }) => name));
      // What keeps a name is orange's from now on.
      closeToOthers(path);
      if (!isUnchanged(path, expected)) throw new StaleFile();
      // From here to the rename nothing else may stand: what comes to this place now is lost.
      const old = keepName(path, keepAs);
      if (old !== null) kept.push(old);
      failpoint('disk.kept');
      const undo = (): void => {
        if (old !== null) fs.renameSync(old, path);
      };
      putInPlace(temporary, path, { draft, undo });
      kept.splice(0, rivals.length, ...rivals.flatMap(keepIfLost));
    });
    return { kind: 'replaced', stamp, kept: kept.toReversed() };
  } catch (error) {
    for (const name of kept) removeQuietly(name);
    if (error instanceof StaleFile) return { kind: 'changed-meanwhile' };
    throw error;
  }
}

function withDraft(path: string, draft: Draft, place: (temporary: string) => void): FileStamp {
  const temporary = temporaryBeside(path);
  try {
    const stamp = draft.make(temporary);
    place(temporary);
    return stamp;
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** A rename that cannot be made durable has not happened: the old state is put back. */
function putInPlace(
  temporary: string,
  path: string,
  { draft, undo }: { readonly draft: Draft; readonly undo: () => void },
): void {
  fs.renameSync(temporary, path);
  try {
    draft.reached('renamed');
    if (draft.lasting === 'always') syncDirectory(dirname(path));
    draft.reached('directory-synced');
  } catch (error) {
    ignoringErrno(undo);
    throw error;
  }
}

function isUnchanged(path: string, expected: FileStamp): boolean {
  const now = stateOf(path);
  return now.kind === 'file' && isSameStamp(now.stamp, expected);
}

type Rival = { readonly name: string; readonly names: number };

/**
 * Other people's drafts in the same directory, kept by one more name. One that a writer puts in place
 * after our last look and before our rename would otherwise be gone without a trace.
 */
function keepRivals(
  path: string,
  ours: { readonly temporary: string; readonly keepAs: string; readonly draft: Draft },
): readonly Rival[] {
  const directory = dirname(path);
  const own = new Set([basename(path), basename(ours.temporary)]);
  const recent = fs
    .readdirSync(directory)
    .filter((name) => !own.has(name) && ours.draft.isRival(name))
    .filter((name) => isRecentFile(fs.lstatSync(join(directory, name), { throwIfNoEntry: false })));
  return recent.slice(0, MAX_RIVALS).flatMap((name): readonly Rival[] => {
    const kept = keepName(join(directory, name), ours.keepAs);
    return kept === null ? [] : [{ name: kept, names: fs.lstatSync(kept).nlink }];
  });
}

function isRecentFile(stats: fs.Stats | undefined): boolean {
  return stats !== undefined && stats.isFile() && Date.now() - stats.mtimeMs < RIVAL_AGE_MS;
}

/** A draft that has lost a name since was put in place and replaced by us, or thrown away. */
function keepIfLost({ name, names }: Rival): readonly string[] {
  let isLost = true;
  ignoringErrno(() => {
    isLost = fs.lstatSync(name).nlink < names;
  });
  if (isLost) closeToOthers(name);
  else removeQuietly(name);
  return isLost ? [name] : [];
}

/** Gives a file one more name; null when it is gone or the file system has no hard links. */
function keepName(path: string, keepAs: string): string | null {
  const name = `${keepAs}~${uniqueName()}`;
  try {
    fs.linkSync(path, name);
    return name;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || (code !== null && NO_HARD_LINKS.has(code))) return null;
    throw error;
  }
}
