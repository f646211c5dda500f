import type { TaskState } from '../domain/world.js';
import type { TaskFileObserver } from '../observe/task-file-observer.js';
import type { Files, FileStamp } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { MAX_TASK_FILE_BYTES } from '../record/split-frontmatter.js';
import { formatNewTask } from '../record/task-file.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly observer?: Pick<TaskFileObserver, 'lastRead'>;
};

/**
 * Remembers what a task's file said when a copy took the place of the link in its worktree, for as
 * long as the copy stands there: what the file says beyond that was written beside it. It is kept for
 * the next daemon; a copy that a reboot left behind is judged by the clock.
 */
export class CopyOrigins {
  readonly #parts: Parts;
  readonly #texts = new Map<string, string | null>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A copy stands there: what it was made from is what the file says, if that is older. */
  see({ fields: { project, id } }: TaskState, copy: FileStamp): void {
    if (this.of(id) !== null) return;
    const { files, paths, observer } = this.#parts;
    const current = files.readText(paths.taskFile(project, id), MAX_TASK_FILE_BYTES, 'lossy');
    if (!current.ok) return;
    if (current.value.stamp.mtimeMs < copy.mtimeMs) {
      this.note(id, current.value.text);
      return;
    }
    const last = observer?.lastRead(id) ?? null;
    const isOlder = last?.stamp != null && last.stamp.mtimeMs < copy.mtimeMs;
    if (!isOlder || last.content.kind === 'unreadable') return;
    const { seen, body } = last.content;
    this.note(id, formatNewTask({ fields: seen.fields, extensions: seen.extensions, body }));
  }

  /** The text that a copy was made from; null when nobody knows. */
  of(taskId: string): string | null {
    const known = this.#texts.get(taskId);
    if (known !== undefined) return known;
    const { files, paths } = this.#parts;
    const read = files.readText(paths.copyOriginFile(taskId), MAX_ORIGIN_BYTES);
    const text = read.ok ? read.value.text : null;
    const isAbsent =
      !read.ok && read.failure.kind === 'io-failed' && read.failure.code === 'ENOENT';
    // What the machine does not let anybody read now may be read the next time.
    if (read.ok || isAbsent) this.#texts.set(taskId, text);
    return text;
  }

  /** Where it cannot be kept it is still known for as long as this daemon runs. */
  note(taskId: string, text: string): void {
    const { files, paths } = this.#parts;
    this.#texts.set(taskId, text);
    const made = files.makeDirectory(paths.copyOriginsDir, 'until-reboot');
    if (made.ok) files.replace(paths.copyOriginFile(taskId), text, 'until-reboot');
  }

  forget(taskId: string): void {
    if (this.#texts.get(taskId) === null) return;
    const { files, paths } = this.#parts;
    const removed = files.remove(paths.copyOriginFile(taskId));
    if (removed.ok) this.#texts.set(taskId, null);
    else this.#texts.delete(taskId);
  }
}

/** What the observer has read may take a little more room when it is written anew. */
const MAX_ORIGIN_BYTES = 2 * MAX_TASK_FILE_BYTES;
