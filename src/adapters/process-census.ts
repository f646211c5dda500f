import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { errnoOf } from './disk-steps.js';
import { lookSparingly } from './spare-descriptor.js';

/** A living process as the kernel's table shows it. */
export type Entry = {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Whether it has a terminal that was not hung up. */
  readonly hasTerminal: boolean;
  readonly start: string;
};

/** A living process, and what its environment says in variables of orange, as `NAME=value`. */
export type Counted = Entry & { readonly marks: readonly string[] };

/**
 * Counts all processes of a table. Whoever asks gets a count that began after the question; those who
 * ask together share one. An environment is read once: it stays as it is until the process runs
 * another program, which its entry in the table shows.
 */
export class ProcessCensus {
  readonly #root: string;
  readonly #boot: string;
  #known = new Map<number, Known>();
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly Counted[]> | null = null;
  #restUntilMs = 0;

  constructor(root: string, boot: string) {
    this.#root = root;
    this.#boot = boot;
  }

  /** The entry of one process, read now; null for one that has ended. Throws where it cannot be read. */
  read(pid: number): Entry | null {
    return this.#readStat(pid);
  }

  /** Rejects where the table cannot be read: who is not seen then may still be there. */
  async take(): Promise<readonly Counted[]> {
    if (this.#next !== null) return this.#next;
    const next = this.#last.then(async () => {
      // However many are ended in a crowd, counting takes no more than its share of the time.
      const restMs = this.#restUntilMs - performance.now();
      await (restMs > 0 ? pause(restMs) : nextTurn());
      this.#next = null;
      return this.#count();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #count(): Promise<readonly Counted[]> {
    const seen = new Map<number, Stat | null>();
    let spentMs = await this.#readTable(seen);
    const living = [...seen.values()].filter((stat) => stat !== null);
    const known = new Map<number, Known>();
    const counted: Counted[] = [];
    let startMs = performance.now();
    let readings = 0;
    for (const stat of living) {
      const before = this.#known.get(stat.pid);
      const isSame = before !== undefined && before.image === stat.image;
      if (!isSame && !stat.isClosed && (readings += 1) % SLICE === 0) {
        spentMs += performance.now() - startMs;
        await nextTurn();
        startMs = performance.now();
      }
      const marks = isSame ? before.marks : readMarks(this.#root, stat);
      if (stat.image !== null) known.set(stat.pid, { image: stat.image, marks });
      counted.push({ ...entryOf(stat), marks });
    }
    spentMs += performance.now() - startMs;
    this.#known = known;
    this.#restUntilMs = performance.now() + Math.min(spentMs * RESTS, LONGEST_REST_MS);
    return counted;
  }

  /**
   * Reads until a listing brings nothing new: what was begun by a process that ended meanwhile is not
   * missed. Gives the time it took of the event loop.
   */
  async #readTable(seen: Map<number, Stat | null>): Promise<number> {
    let spentMs = 0;
    for (let round = 1; round <= MAX_LISTINGS; round += 1) {
      let startMs = performance.now();
      const fresh = listPids(this.#root).filter((pid) => !seen.has(pid));
      for (const [index, pid] of fresh.entries()) {
        // A long table must not keep the daemon from everything else.
        if (index % LONG_SLICE === LONG_SLICE - 1) {
          spentMs += performance.now() - startMs;
          await nextTurn();
          startMs = performance.now();
        }
        seen.set(pid, this.#readStat(pid));
      }
      spentMs += performance.now() - startMs;
      if (fresh.length === 0) break;
    }
    return spentMs;
  }

  #readStat(pid: number): Stat | null {
    const text = readShort(`${this.#root}/${pid}/stat`);
    if (text === null) return null;
    // The name in parentheses may hold anything, so the fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, , session, terminal] = fields;
    const start = fields[19];
    if (state === undefined || start === undefined || 'ZX'.includes(state)) return null;
    return {
      pid,
      parent: Number(parent),
      session: Number(session),
      hasTerminal: terminal !== '0',
      start: `${this.#boot}/${start}`,
      image: imageOf(fields),
      isClosed: isClosed(fields),
    };
  }
}

type Stat = Entry & {
  /** Tells one program that a process has run from the next; null where that is not shown. */
  readonly image: string | null;
  /** Whether it has no environment that could be read. */
  readonly isClosed: boolean;
};

type Known = { readonly image: string; readonly marks: readonly string[] };

/** In slices of so many environments, or so many entries of the table. */
const SLICE = 64;
const LONG_SLICE = 512;
const MAX_LISTINGS = 8;
/** A count is followed by a rest of so many times its length. */
const RESTS = 9;
const LONGEST_REST_MS = 200;

function entryOf({ pid, parent, session, hasTerminal, start }: Stat): Entry {
  return { pid, parent, session, hasTerminal, start };
}

/**
 * Where the kernel has put code, stack, arguments and environment: set anew, at random places, by
 * each start of a program. While one is being started, and for a process of somebody else, all or
 * the last are 0.
 */
function imageOf(fields: readonly string[]): string | null {
  const [environmentStart, environmentEnd] = [fields[47], fields[48]];
  if (environmentEnd === undefined || environmentStart === '0' || environmentEnd === '0') {
    return null;
  }
  return [fields[19], ...fields.slice(23, 26), ...fields.slice(42, 49)].join(' ');
}

/** Threads of the kernel have no environment; that of somebody else's process is not for us. */
function isClosed(fields: readonly string[]): boolean {
  return (Number(fields[6]) & KERNEL_THREAD) !== 0 || fields[23] === '1';
}

const KERNEL_THREAD = 0x0020_0000;

function readMarks(root: string, { pid, isClosed: isNotForUs }: Stat): readonly string[] {
  if (isNotForUs) return NO_MARKS;
  const environment = readBytes(`${root}/${pid}/environ`);
  if (environment === null) return NO_MARKS;
  const marks: string[] = [];
  for (let at = environment.indexOf(MARK); at !== -1; at = environment.indexOf(MARK, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    marks.push(environment.toString('latin1', at, end === -1 ? environment.length : end));
  }
  return marks.length === 0 ? NO_MARKS : marks;
}

const MARK = 'ORANGE_';
const NO_MARKS: readonly string[] = [];

/** The numbers of all processes. */
export function listPids(root: string): readonly number[] {
  const names = lookSparingly(() => readdirSync(root));
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** A file of at most a page, which the kernel gives in one piece. */
function readShort(path: string): string | null {
  return attempt(() => {
    const fd = openSync(path, 'r');
    try {
      return PAGE.toString('latin1', 0, readSync(fd, PAGE, 0, PAGE.length, 0));
    } finally {
      closeSync(fd);
    }
  });
}

// One piece of memory for all: the table is read thousands of times a minute.
const PAGE = Buffer.allocUnsafeSlow(64 * 1024);

/** The content of a file, good until the next is read; of any length, though it is seldom long. */
function readBytes(path: string): Buffer | null {
  return attempt(() => {
    const fd = openSync(path, 'r');
    try {
      let length = 0;
      for (;;) {
        const count = readSync(fd, PAGE, length, PAGE.length - length, length);
        length += count;
        if (count === 0) return PAGE.subarray(0, length);
        if (length === PAGE.length) return readFileSync(path);
      }
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * Processes come and go while the table is read, and some are not for us: null for these. That nothing
 * can be opened, or a disk fails, says nothing about a process.
 */
export function attempt<T>(read: () => T): T | null {
  try {
    return lookSparingly(read);
  } catch (error) {
    if (!GONE.has(errnoOf(error) ?? '')) throw error;
    return null;
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH', 'ENOTDIR', 'EACCES', 'EPERM']);
