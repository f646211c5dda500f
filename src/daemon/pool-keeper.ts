import type { BoundRow, PoolFile, PoolRow } from '../domain/pool.js';
import { DONE, type Result } from '../domain/result.js';
import type { Log } from '../ports.js';
import type { PoolFileStore } from '../record/pool-file.js';
import { formatPool } from '../record/pool-file.js';
import { projectOf } from './build-view.js';
import type { LiveWorld } from './live-world.js';

/** Longer than a start takes, so that none waits for the disk on its account. */
const SOON_MS = 50;

/** Keeps .pool.json saying what TASK.md files say; it is derived and never read as truth. */
export class PoolKeeper {
  readonly #file: PoolFileStore;
  readonly #log: Log;
  #lastWritten = '';
  #isBehind = false;
  #pending: NodeJS.Timeout | null = null;

  constructor(file: PoolFileStore, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Worktrees that the file lists as free; none when it cannot be read. */
  available(): ReadonlySet<string> {
    const rows = this.#read();
    return new Set(rows.filter(([, row]) => row.status === 'available').map(([name]) => name));
  }

  /** Worktrees that the file gives to tasks; none when it cannot be read. */
  bound(): ReadonlyMap<string, BoundRow> {
    const rows = this.#read();
    return new Map(rows.flatMap(([name, row]) => (row.status === 'bound' ? [[name, row]] : [])));
  }

  #read(): readonly (readonly [string, PoolRow])[] {
    const read = this.#file.read();
    if (read.ok) return Object.entries(read.value.workspaces);
    this.#log.write({ event: 'pool.damaged', level: 'warn', failure: read.failure.kind });
    return [];
  }

  /** Writes the file if it no longer says what the world says. */
  save(world: LiveWorld): void {
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#pending = null;
    const pool = poolOf(world);
    if (formatPool(pool) === this.#lastWritten) return;
    const isNothing = this.#lastWritten === '' && Object.keys(pool.workspaces).length === 0;
    // A home that has had no worktree yet needs no file.
    if (isNothing && this.#read().length === 0) return;
    const written = this.#write(pool);
    // Said once, however long it takes.
    if (!written.ok && !this.#isBehind) {
      this.#log.write({ event: 'pool.not-written', level: 'error', failure: written.failure.kind });
    }
    this.#isBehind = !written.ok;
  }

  /** Saves once what was just decided has been begun, or when somebody is told that it is done. */
  saveSoon(world: LiveWorld): void {
    this.#pending ??= setTimeout(() => this.flush(world), SOON_MS);
  }

  flush(world: LiveWorld): void {
    if (this.#pending !== null) this.save(world);
  }

  /** Writes what could not be written before. */
  retry(world: LiveWorld): void {
    if (this.#isBehind) this.save(world);
  }

  /** Writes the file whatever it says now; something that was damaged is kept beside it. */
  rewrite(world: LiveWorld): Result<void> {
    return this.#write(poolOf(world));
  }

  #write(pool: PoolFile): Result<void> {
    const written = this.#file.rebuild(pool);
    if (!written.ok) return written;
    if (written.value.kept !== null) {
      this.#log.write({ event: 'pool.rebuilt', level: 'warn', kept: written.value.kept });
    }
    this.#lastWritten = formatPool(pool);
    return DONE;
  }
}

function poolOf(world: LiveWorld): PoolFile {
  const rows = new Map<string, PoolRow>();
  for (const workspace of [...world.worktrees].toSorted()) {
    if (!world.quarantined.has(workspace) && projectOf(world, workspace) !== null) {
      rows.set(workspace, { status: 'available' });
    }
  }
  for (const [workspace, row] of world.withheld) rows.set(workspace, row);
  for (const { fields, reservedWorkspace } of world.tasks.values()) {
    const workspace = fields.workspace ?? reservedWorkspace;
    if (workspace === null) continue;
    const task = `${fields.project}/${fields.branch}`;
    rows.set(workspace, { status: 'bound', task, task_id: fields.id });
  }
  return { workspaces: Object.fromEntries(rows) };
}
