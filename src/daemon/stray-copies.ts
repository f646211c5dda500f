import { join } from 'node:path';
import type { TaskState } from '../domain/world.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';

type Parts = { readonly files: Pick<Files, 'isLink' | 'stat'>; readonly paths: Paths };

/**
 * Tells whether something else than the link stands in a worktree as TASK.md that nobody has looked
 * at, such as what an agent saved by rename. While the link is there, that is one lstat.
 */
export class StrayCopies {
  readonly #parts: Parts;
  /** What was last seen in the place of each link. */
  readonly #seen = new Map<string, string>();
  /** Asked for each second: to put a path together would take as long as the look. */
  readonly #places = new WeakMap<TaskState['fields'], string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether it has come since the last look: a file of somebody's, or anything else. */
  find(task: TaskState): 'nothing' | 'file' | 'other' {
    const mark = this.#markOf(task);
    if (mark === null || mark === this.#seen.get(task.fields.id)) return 'nothing';
    return mark.startsWith('file') ? 'file' : 'other';
  }

  /** What stands there now has been looked at. */
  noteSeen(task: TaskState): void {
    const mark = this.#markOf(task);
    if (mark === null) this.forget(task.fields.id);
    else this.#seen.set(task.fields.id, mark);
  }

  forget(taskId: string): void {
    this.#seen.delete(taskId);
  }

  /** Null where the link is, or cannot be asked for. */
  #markOf({ fields }: TaskState): string | null {
    if (fields.workspace === null) return null;
    const place = this.#placeOf(fields, fields.workspace);
    const link = this.#parts.files.isLink(place);
    if (!link.ok || link.value) return null;
    const state = this.#parts.files.stat(place);
    if (!state.ok) return null;
    if (state.value.kind !== 'file') return state.value.kind;
    const { inode, mtimeMs, size } = state.value.stamp;
    return `file ${inode} ${mtimeMs} ${size}`;
  }

  #placeOf(fields: TaskState['fields'], workspace: string): string {
    const known = this.#places.get(fields);
    if (known !== undefined) return known;
    const place = join(this.#parts.paths.workspace(workspace), 'TASK.md');
    this.#places.set(fields, place);
    return place;
  }
}
