import { basename, dirname, join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import { failpoint } from '../domain/failpoint.js';
import { failed, success, type Result } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { Files, FileStamp } from '../ports.js';
import type { Paths } from './paths.js';
import { formatNewTask, parseTaskFile } from './task-file.js';

export type StoredTask = {
  readonly record: TaskRecord;
  readonly stamp: FileStamp;
  /** Warnings; a task with errors is unreadable. */
  readonly diagnostics: readonly Diagnostic[];
};

type Parts = { readonly files: Files; readonly paths: Paths };

/** Makes the folder of a new task: there is all of it, or nothing that counts as a task. */
export function createTaskFolder(
  { files, paths }: Parts,
  record: TaskRecord,
  historyLines: readonly string[],
): Result<StoredTask> {
  const { id, project } = record.fields;
  const dir = paths.taskDir(project, id);
  const state = files.stat(dir);
  if (!state.ok) return state;
  if (state.value.kind !== 'absent') {
    return failed({ kind: 'io-failed', path: dir, operation: 'create', code: 'EEXIST' });
  }
  const draft = paths.taskDraft(id);
  const filled = fillDraft({ files, paths }, record, historyLines);
  const created = filled.ok ? giveBirth(files, draft, dir) : filled;
  // Where that fails too, it is nobody's task, and the next start removes it.
  if (!created.ok) files.removeTree(draft);
  return created.ok ? filled : created;
}

function fillDraft(
  { files, paths }: Parts,
  record: TaskRecord,
  historyLines: readonly string[],
): Result<StoredTask> {
  const { id, project } = record.fields;
  const draft = paths.taskDraft(id);
  const file = paths.taskFile(project, id);
  const text = formatNewTask(record);
  const check = parseTaskFile(text, file, { expected: { id, project } });
  if (!check.ok) return failed({ kind: 'file-rejected', diagnostics: check.diagnostics });
  const cleared = files.removeTree(draft);
  if (!cleared.ok) return cleared;
  const made = files.makeDirectory(draft, 'until-reboot');
  if (!made.ok) return made;
  const written = files.replace(join(draft, basename(file)), text);
  if (!written.ok) return written;
  failpoint('create.task-written');
  const history = basename(paths.historyFile(project, id));
  const logged = files.appendLines(join(draft, history), historyLines);
  if (!logged.ok) return logged;
  return success({ record: check.record, stamp: written.value, diagnostics: check.diagnostics });
}

/** From here on there is a task. */
function giveBirth(files: Files, draft: string, dir: string): Result<void> {
  const made = files.makeDirectory(dirname(dir));
  if (!made.ok) return made;
  failpoint('create.filled');
  const born = files.moveDirectory(draft, dir);
  if (born.ok) failpoint('create.born');
  return born;
}
