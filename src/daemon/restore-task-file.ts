import { success, type Result } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { formatNewTask } from '../record/task-file.js';
import type { TaskStore } from '../record/task-store.js';

const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Writes a task's file anew from what is known of it; what could not be read is kept beside it. */
export function restoreTaskFile(
  parts: { readonly files: Files; readonly paths: Paths; readonly store: TaskStore },
  record: TaskRecord,
): Result<void> {
  const { files, paths, store } = parts;
  const { project, id, updated_at: at } = record.fields;
  const made = files.makeDirectory(paths.taskDir(project, id));
  if (!made.ok) return made;
  const path = paths.taskFile(project, id);
  const unreadable = files.readText(path, MAX_KEPT_BYTES, 'lossy');
  if (unreadable.ok) {
    const name = `unreadable-${at.replace(/[^0-9]/g, '')}.md`;
    const kept = store.writeTranscript({ project, id, name, text: unreadable.value.text });
    if (!kept.ok) return kept;
  }
  const written = files.replace(path, formatNewTask(record));
  return written.ok ? success(undefined) : written;
}
