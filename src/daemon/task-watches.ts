import { dirname, join } from 'node:path';
import type { FileSource } from '../domain/source-health.js';
import type { TaskState } from '../domain/world.js';
import type { Clock, Watching } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { DirectoryWatches } from './directory-watches.js';
import { MissedHints } from './missed-hints.js';

type Parts = {
  readonly watching: Watching;
  readonly paths: Paths;
  readonly clock: Clock;
  /** Something about this task may have changed. */
  onHint(taskId: string): void;
  /** Something that is no task's may have changed beside what is. */
  onOther(path: string): void;
};

/** Watches the folders of tasks, their worktrees and their launch records, and what holds these. */
export class TaskWatches {
  readonly #parts: Parts;
  readonly #directories: DirectoryWatches;
  readonly #missed = new MissedHints();
  readonly #owners = new Map<string, string>();
  readonly #owned = new Map<string, readonly string[]>();
  #reason: string | null = null;
  #since: string;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#since = this.#timestamp();
    this.#directories = new DirectoryWatches({
      ...parts,
      onChange: (directory, name) => this.#onChange(directory, name),
    });
  }

  /** Watches what belongs to an unfinished task now; true when a watch is new. */
  follow(task: TaskState): boolean {
    const { paths } = this.#parts;
    const { project, id, workspace } = task.fields;
    const wanted = [
      paths.taskDir(project, id),
      ...(workspace === null ? [] : [paths.workspace(workspace), paths.launchDir(id)]),
    ];
    this.#release(id, wanted);
    this.#owned.set(id, wanted);
    let isNew = false;
    for (const directory of wanted) {
      this.#owners.set(directory, id);
      this.#directories.add(dirname(directory));
      if (this.#directories.add(directory)) isNew = true;
    }
    // What was written before it was watched is nothing that a hint was lost of.
    if (isNew) this.#missed.noteHint(id, this.#parts.clock.monotonicMs());
    return isNew;
  }

  unfollow(taskId: string): void {
    this.#release(taskId, []);
    this.#owned.delete(taskId);
    this.#missed.forget(taskId);
  }

  /** Tells of a change in the task's files that was found by looking; true while its hint may come. */
  noteFound(taskId: string): boolean {
    return this.#missed.noteFound(taskId, this.#parts.clock.monotonicMs());
  }

  /** Mends what can be mended; to be called now and then. */
  tend(): void {
    const missed = this.#missed.takeMissed(this.#parts.clock.monotonicMs());
    const silent = missed.flatMap((taskId) => this.#owned.get(taskId) ?? []);
    for (const directory of new Set([...silent.map((each) => dirname(each)), ...silent])) {
      this.#directories.reopen(directory);
    }
    this.#directories.retry();
  }

  state(): FileSource {
    const isDistrusted = this.#missed.isDistrusted(this.#parts.clock.monotonicMs());
    const reason = this.#directories.trouble ?? (isDistrusted ? 'missed' : null);
    if (reason !== this.#reason) {
      this.#reason = reason;
      this.#since = this.#timestamp();
    }
    const common = { since: this.#since, directories: this.#directories.count };
    return reason === null
      ? { state: 'watching', ...common }
      : { state: 'broken', ...common, reason };
  }

  close(): void {
    this.#directories.close();
  }

  #onChange(directory: string, name: string | null): void {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) {
      if (name === null || isTelling(name)) this.#hint(owner);
      return;
    }
    // A directory that holds those of tasks: one of them came or went, or all of them.
    if (name === null) return this.#reopenWithin(directory);
    const child = join(directory, name);
    const childOwner = this.#owners.get(child);
    if (childOwner === undefined) return this.#parts.onOther(child);
    this.#directories.reopen(child);
    this.#hint(childOwner);
  }

  #reopenWithin(directory: string): void {
    for (const [child, owner] of this.#owners) {
      if (dirname(child) !== directory) continue;
      this.#directories.reopen(child);
      this.#hint(owner);
    }
  }

  #hint(taskId: string): void {
    this.#missed.noteHint(taskId, this.#parts.clock.monotonicMs());
    this.#parts.onHint(taskId);
  }

  #release(taskId: string, kept: readonly string[]): void {
    for (const directory of this.#owned.get(taskId) ?? []) {
      // A worktree may already be another task's.
      if (kept.includes(directory) || this.#owners.get(directory) !== taskId) continue;
      this.#directories.remove(directory);
      this.#owners.delete(directory);
    }
  }

  #timestamp(): string {
    return new Date(this.#parts.clock.nowMs()).toISOString();
  }
}

/** Files whose change says something about a task or its agents. */
function isTelling(name: string): boolean {
  return name === 'TASK.md' || (name.endsWith('.exit') && !name.startsWith('.'));
}
