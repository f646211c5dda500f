import { chmodSync, lstatSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pino, stdTimeFunctions } from 'pino';
import type { Level } from 'pino';
import openRollingFile from 'pino-roll';
import type { RollingStream } from 'pino-roll';
import type { Log } from '../ports.js';
import { ignoringErrno } from './disk-steps.js';

export type JsonLogOptions = {
  readonly directory: string;
  /** The name by which the current file can always be found; the files themselves are numbered. */
  readonly file: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Size at which the next file begins, as pino-roll writes it: `10m` unless told. */
  readonly size?: string;
  /** How many files there are at most, 5 unless told. */
  readonly keep?: number;
};

export type JsonLog = Log & {
  /** Writes what is waiting, as far as the disk lets it, and ends. */
  close(): Promise<void>;
};

/**
 * A log of JSON lines; a record may carry its own `level`. Nothing that happens to the disk reaches
 * the caller: records that cannot be kept are counted, and a `log.gap` record says how many they
 * were once writing works again.
 */
export function createJsonLog(options: JsonLogOptions): JsonLog {
  const file = new RollingFile(options, (records) => logger.warn({ event: 'log.gap', records }));
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => file.write(line) },
  );
  return {
    write: ({ level, ...facts }) => logger[readLevel(level)](facts),
    close: async () => file.close(),
  };
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

function readLevel(level: unknown): Level {
  return LEVELS.find((known) => known === level) ?? 'info';
}

const RETRY_MS = 1000;
const CLOSE_MS = 1000;
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_LINES = 1000;

/** The numbered files behind the log, tried again for as long as they cannot be written. */
class RollingFile {
  readonly #options: JsonLogOptions;
  readonly #onGap: (records: number) => void;
  #stream: RollingStream | null = null;
  /** Lines from before the file was open. */
  #waiting: string[] = [];
  #lost = 0;
  #isClosed = false;
  #opening: Promise<void>;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: JsonLogOptions, onGap: (records: number) => void) {
    this.#options = options;
    this.#onGap = onGap;
    this.#opening = this.#open();
  }

  write(line: string): void {
    if (this.#stream !== null) this.#stream.write(line);
    else if (this.#waiting.length < MAX_WAITING_LINES && !this.#isClosed) this.#waiting.push(line);
    else this.#lost += 1;
  }

  async close(): Promise<void> {
    await this.#opening;
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const stream = this.#stream;
    this.#stream = null;
    if (stream === null || stream.destroyed) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, CLOSE_MS);
      stream.once('close', () => {
        clearTimeout(timer);
        done();
      });
      stream.end();
    });
  }

  async #open(): Promise<void> {
    try {
      setStrangersAside(this.#options);
      const stream = await openRollingFile({
        file: join(resolve(this.#options.directory), this.#options.file),
        size: this.#options.size ?? '10m',
        limit: { count: this.#options.keep ?? 5, removeOtherLogFiles: true },
        mode: 0o600,
        // What was logged before a kill -9 is there after it.
        sync: true,
        maxLength: MAX_WAITING_BYTES,
      });
      this.#attend(stream);
    } catch {
      // Whatever keeps the file from opening, the daemon goes on without it for now.
      this.#tryLater(() => this.#reopen());
    }
  }

  #attend(stream: RollingStream): void {
    stream.on('error', (error) => {
      // A failed write is kept and repeated with the next one. A failed roll leaves the stream with
      // a name that is not its file's.
      if (isOpenError(error)) this.#abandon(stream);
      else this.#tryLater(() => void stream.write(''));
    });
    stream.on('drop', () => (this.#lost += 1));
    stream.on('write', () => {
      // This write may be the one that lets the next file begin.
      if (stream.file !== null) setFollowerAside(stream.file);
      this.#reportGap();
    });
    stream.on('ready', () => this.#point(stream));
    this.#stream = stream;
    this.#point(stream);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) stream.write(line);
  }

  #abandon(stream: RollingStream): void {
    if (this.#stream !== stream) return;
    this.#stream = null;
    stream.destroy();
    this.#tryLater(() => this.#reopen());
  }

  #reopen(): void {
    this.#opening = this.#open();
  }

  #tryLater(step: () => void): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(step, RETRY_MS).unref();
  }

  #reportGap(): void {
    const lost = this.#lost;
    if (lost === 0) return;
    this.#lost = 0;
    // Not from inside the stream's own bookkeeping.
    setImmediate(() => this.#onGap(lost));
  }

  /** Makes the log's own name lead to the file that is being written. */
  #point(stream: RollingStream): void {
    if (stream.file === null || this.#isClosed) return;
    const link = join(resolve(this.#options.directory), this.#options.file);
    const draft = `${link}.link`;
    try {
      chmodSync(stream.file, 0o600);
      if (lstatSync(link, { throwIfNoEntry: false })?.isFile() === true) {
        renameSync(link, `${link}.before`);
      }
      rmSync(draft, { force: true });
      symlinkSync(basename(stream.file), draft);
      renameSync(draft, link);
    } catch {
      this.#tryLater(() => this.#point(stream));
    }
  }
}

/** To open a pipe would wait for ever, and a folder would keep the log from ever being written. */
function setStrangersAside({ directory, file }: JsonLogOptions): void {
  const stem = basename(file, '.log');
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const number = /^\.\d+\.log$/.test(entry.name.slice(stem.length));
    if (!entry.name.startsWith(stem) || !number || entry.isFile()) continue;
    setAside(join(directory, entry.name));
  }
}

/** The same for the file that comes after one. */
function setFollowerAside(file: string): void {
  const number = Number(/\.(\d+)\.log$/.exec(file)?.[1]);
  const next = file.replace(/\d+\.log$/, `${number + 1}.log`);
  // What cannot be looked at or moved now is so at the next write, or gone.
  ignoringErrno(() => {
    const state = lstatSync(next, { throwIfNoEntry: false });
    if (state !== undefined && !state.isFile()) setAside(next);
  });
}

function setAside(path: string): void {
  renameSync(path, `${path}.no-file-${Date.now()}`);
}

function isOpenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open';
}
