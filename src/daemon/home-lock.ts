import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { failpoint } from '../domain/failpoint.js';
import { createProcessTable } from '../adapters/process-table.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { decodeOwner, encodeOwner } from '../record/owner-record.js';
import type { OwnerIdentity, OwnerRecord } from '../record/owner-record.js';
import { identifyOwner, lifeOf, OWNER_FILE, readCode, readOrNull } from './owner-life.js';
import type { Life } from './owner-life.js';

/** The right to write in a home. */
export interface HomeLock {
  readonly generation: number;
  /** Whether this process still owns the home; asked before each write, so it is cheap. */
  isHeld(): boolean;
  /** Gives the home back; whoever asks next gets it at once. */
  release(): Promise<void>;
}

type HomeLockOptions = {
  readonly home: string;
  readonly runDirectory: string;
  readonly pid: number;
  /** The home is no longer this process's; `isHeld` has been false since before this call. */
  readonly onLost: (reason: string) => void;
  /** The sign of life had failed for a while, but the home is still this process's. */
  readonly onRegained?: () => void;
};

/**
 * Takes the home, or says who has it.
 *
 * Owners are numbered. `lock.owner.<n>` is made by link(2), whole or not at all, so of all who saw
 * owner n-1 dead exactly one becomes owner n; the highest number is the owner and is never removed
 * while it is the highest. `lock.owner.json` is one more name of the same file. The directory
 * `lock` is proper-lockfile's: its time stamp shows life where a pid cannot (another container),
 * and it is only ever touched by the owner.
 */
export async function acquireHomeLock(options: HomeLockOptions): Promise<Result<HomeLock>> {
  try {
    mkdirSync(options.runDirectory, { recursive: true, mode: 0o700 });
    chmodSync(options.runDirectory, 0o700);
    const processes = createProcessTable();
    const here = identifyOwner(processes, options.pid);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const highest = readHighest(options.runDirectory);
      if (highest === 'moved') continue;
      const { generation, record } = highest;
      const life = record === null ? 'unknown' : lifeOf(processes, record, here);
      if (isOwned(options.runDirectory, highest, life)) return homeLocked(options, record?.pid);
      const claimed = claim(options.runDirectory, here, generation + 1);
      if (claimed !== null) return await takeHold(options, claimed);
    }
    return homeLocked(options, undefined);
  } catch (error) {
    const code = readCode(error);
    if (code === null) throw error;
    const path = options.runDirectory;
    return failed({ kind: 'io-failed', path, operation: 'lock', code });
  }
}

const MAX_TRIES = 100;
const UNKNOWN_PID = 0;
const STALE_MS = 10_000;
const UPDATE_MS = 2500;
const REGAIN_MS = 1000;
const LOCK_DIRECTORY = 'lock';
const NUMBERED = /^lock\.owner\.([1-9][0-9]{0,14})$/;
const DRAFT = /^lock\.owner\.[0-9a-f-]+\.tmp$/;

type Highest = { readonly generation: number; readonly record: OwnerRecord | null };

function readHighest(runDirectory: string): Highest | 'moved' {
  const generation = highestGeneration(runDirectory);
  if (generation === 0) return { generation, record: null };
  const text = readOrNull(join(runDirectory, `lock.owner.${generation}`));
  return text === null ? 'moved' : { generation, record: decodeOwner(text) };
}

function highestGeneration(runDirectory: string): number {
  const numbers = readdirSync(runDirectory).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

function isOwned(runDirectory: string, { generation, record }: Highest, life: Life): boolean {
  if (generation === 0 || record?.isReleased === true) return false;
  if (life !== 'unknown') return life === 'alive';
  const signs = [LOCK_DIRECTORY, `lock.owner.${generation}`].map(
    (name) => statSync(join(runDirectory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Date.now() - Math.max(...signs) < STALE_MS;
}

/** Becomes the owner of this number, or null when somebody else did. */
function claim(runDirectory: string, here: OwnerIdentity, generation: number): OwnerRecord | null {
  const record = { ...here, nonce: randomUUID(), generation, isReleased: false };
  const draft = writeDraft(runDirectory, record);
  const numbered = join(runDirectory, `lock.owner.${generation}`);
  failpoint('lock.draft-written');
  try {
    linkSync(draft, numbered);
  } catch (error) {
    unlinkSync(draft);
    if (readCode(error) === 'EEXIST') return null;
    throw error;
  }
  // Whoever slept since it looked may have taken a number that was used and cleared away.
  if (highestGeneration(runDirectory) !== generation) {
    rmSync(numbered, { force: true });
    unlinkSync(draft);
    return null;
  }
  failpoint('lock.claimed');
  renameSync(draft, join(runDirectory, OWNER_FILE));
  failpoint('lock.named');
  return record;
}

async function takeHold(options: HomeLockOptions, record: OwnerRecord): Promise<Result<HomeLock>> {
  const { runDirectory } = options;
  const held = new HeldHome(options, record);
  clearOldNames(runDirectory, record.generation);
  try {
    await held.showLife();
    failpoint('lock.taken');
    // Seen once while files can be opened; from now on one stat is enough.
    held.isHeld();
    return success(held);
  } catch (error) {
    await held.release();
    if (readCode(error) === 'ELOCKED') return homeLocked(options, undefined);
    throw error;
  }
}

class HeldHome implements HomeLock {
  readonly generation: number;
  #stopShowing: () => Promise<void> = async () => undefined;
  readonly #options: HomeLockOptions;
  readonly #record: OwnerRecord;
  readonly #ownerPath: string;
  #stamp: string | null = null;
  #state: 'held' | 'lost' | 'released' = 'held';

  constructor(options: HomeLockOptions, record: OwnerRecord) {
    this.generation = record.generation;
    this.#options = options;
    this.#record = record;
    this.#ownerPath = join(options.runDirectory, OWNER_FILE);
  }

  isHeld(): boolean {
    if (this.#state !== 'held') return false;
    try {
      const stamp = stampOf(this.#ownerPath);
      if (stamp !== null && stamp === this.#stamp) return true;
      const text = readOrNull(this.#ownerPath);
      const owner = text === null ? null : decodeOwner(text);
      const isOurs =
        owner?.nonce === this.#record.nonce && owner.generation === this.#record.generation;
      if (!isOurs) this.#lose('owner-changed');
      this.#stamp = isOurs ? stamp : null;
      return isOurs;
    } catch (error) {
      // Unreadable is no proof of a loss, but no proof of ownership either.
      if (readCode(error) !== null) return false;
      throw error;
    }
  }

  /** Keeps the time stamp of proper-lockfile's directory fresh from now on. */
  async showLife(): Promise<void> {
    const { runDirectory } = this.#options;
    const lockfilePath = join(runDirectory, LOCK_DIRECTORY);
    // What is there is not waited for: the owner's record shows that nobody else needs it.
    removeDirectory(lockfilePath);
    const stop = await lock(runDirectory, {
      lockfilePath,
      realpath: false,
      stale: STALE_MS,
      update: UPDATE_MS,
      onCompromised: () => void this.#regain(),
    });
    // It is made under whatever mask the daemon was given.
    chmodSync(lockfilePath, 0o700);
    if (this.#state === 'held') this.#stopShowing = stop;
    else await stop();
  }

  /**
   * The stamp could not be renewed in time, because the disk was full or hung or the machine slept.
   * Whose the home is stands in the owner's record: unless that is another's, life is shown again.
   */
  async #regain(): Promise<void> {
    this.#stopShowing = async () => undefined;
    try {
      if (!this.isHeld() && this.#state !== 'held') return;
      if (highestGeneration(this.#options.runDirectory) !== this.generation) {
        return this.#lose('owner-changed');
      }
      await this.showLife();
      this.#options.onRegained?.();
    } catch (error) {
      if (readCode(error) === null) throw error;
      setTimeout(() => void this.#regain(), REGAIN_MS).unref();
    }
  }

  #lose(reason: string): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#options.onLost(reason);
  }

  async release(): Promise<void> {
    if (this.#state === 'released') return;
    const wasLost = this.#state === 'lost';
    this.#state = 'released';
    // After a loss the directory is another owner's, and proper-lockfile has let go of it already.
    if (!wasLost) await this.#stopShowing();
    const { runDirectory } = this.#options;
    if (highestGeneration(runDirectory) !== this.generation) return;
    failpoint('lock.before-release');
    const draft = writeDraft(runDirectory, { ...this.#record, isReleased: true });
    renameSync(draft, join(runDirectory, `lock.owner.${this.generation}`));
    const text = readOrNull(this.#ownerPath);
    if (text !== null && decodeOwner(text)?.nonce === this.#record.nonce) {
      rmSync(this.#ownerPath, { force: true });
    }
  }
}

function writeDraft(runDirectory: string, record: OwnerRecord): string {
  const path = join(runDirectory, `lock.owner.${randomUUID()}.tmp`);
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeSync(descriptor, encodeOwner(record));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return path;
}

/** Removes lower numbers, and drafts that a killed contender left. */
function clearOldNames(runDirectory: string, generation: number): void {
  for (const name of readdirSync(runDirectory)) {
    const path = join(runDirectory, name);
    const number = Number(NUMBERED.exec(name)?.[1] ?? generation);
    const isOldDraft = DRAFT.test(name) && Date.now() - mtimeOf(path) > STALE_MS;
    if (number < generation || isOldDraft) rmSync(path, { force: true });
  }
}

function mtimeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

function stampOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}

function removeDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (readCode(error) !== 'ENOENT') throw error;
  }
}

function homeLocked(options: HomeLockOptions, pid: number | undefined): Result<HomeLock> {
  return failed({ kind: 'home-locked', home: options.home, pid: pid ?? UNKNOWN_PID });
}
