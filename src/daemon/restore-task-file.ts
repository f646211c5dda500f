import type { Change } from '../domain/decision.js';
import type { Failure } from '../domain/failure.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import { failed, success, type Result } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { artifactsOf, readSections } from '../record/sections.js';
import { formatNewTask, parseTaskFile } from '../record/task-file.js';
import type { TaskStore } from '../record/task-store.js';
import { knownAfterWrite } from './edit-task-record.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;
type Parts = { readonly files: Files; readonly paths: Paths; readonly store: TaskStore };

const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/**
 * What cannot wait for a file to be mended (an agent runs, or somebody gives the task up) is written
 * anew from what is known. What stood there is kept among the transcripts.
 */
export function restoreUrgently(
  parts: Parts,
  task: TaskState,
  write: {
    readonly change: UpdateTask;
    readonly updatedAt: string;
    readonly failure: Failure;
  },
): Result<TaskState> {
  const { change, failure } = write;
  const isUrgent = change.fields.status === 'cancelled' || 'workspace' in change.fields;
  if (!isUrgent || !isBeyondReading(failure)) return failed(failure);
  const fields = { ...task.fields, ...change.fields, updated_at: write.updatedAt };
  const context = task.context === null ? '' : `\n## Context\n\n${task.context.trim()}\n`;
  const body = task.lost?.body ?? context;
  const { extensions } = knownAfterWrite(task, change, {
    fields,
    extensions: change.extensions,
    body,
  });
  const restored = restoreTaskFile(parts, { fields, extensions, body });
  return restored.ok ? success(knownAnew(task, { fields, extensions, body })) : restored;
}

/** Writes a file anew that says nothing or is gone. What says anything by now is left alone. */
export function rewriteLostFile(
  { files, paths, store }: Parts,
  task: TaskState,
  { body, updatedAt }: { readonly body: string; readonly updatedAt: string },
): Result<TaskState> {
  const { project, id } = task.fields;
  const record = {
    fields: { ...task.fields, updated_at: updatedAt },
    extensions: task.extensions,
    body,
  };
  const path = paths.taskFile(project, id);
  const text = formatNewTask(record);
  const check = parseTaskFile(text, path, { expected: { id, project } });
  if (!check.ok) return failed({ kind: 'file-rejected', diagnostics: check.diagnostics });
  const current = files.readText(path, MAX_KEPT_BYTES, 'lossy');
  if (!current.ok && !isGone(current.failure)) return current;
  if (current.ok && !isBlank(current.value.text)) return failed(busy(path));
  const written = current.ok
    ? store.replaceText(project, id, { current: current.value, text })
    : files.replace(path, text);
  if (!written.ok) return written;
  return written.value === false ? failed(busy(path)) : success(knownAnew(task, record));
}

function isBlank(text: string): boolean {
  return /^[\s\0\uFEFF]*$/.test(text);
}

function knownAnew(unreadable: TaskState, { fields, extensions, body }: TaskRecord): TaskState {
  const { lost: _, unreadableSince: _since, ...task } = unreadable;
  const { sections } = readSections(body);
  return {
    ...task,
    fields,
    extensions,
    artifacts: artifactsOf(sections),
    problems: [],
    claims: null,
    isProvisional: false,
  };
}

function busy(path: string): Failure {
  return { kind: 'io-failed', path, operation: 'replace', code: 'EBUSY' };
}

/** Whether the file itself is at fault, and not the machine, which may read it a moment later. */
function isBeyondReading(failure: Failure): boolean {
  if (failure.kind === 'io-failed') return !isMachineFault(failure);
  return failure.kind === 'file-rejected' || failure.kind === 'not-found';
}

function isGone(failure: Failure): boolean {
  return failure.kind === 'io-failed' && failure.code === 'ENOENT';
}

function restoreTaskFile({ files, paths, store }: Parts, record: TaskRecord): Result<void> {
  const { project, id, updated_at: at } = record.fields;
  const path = paths.taskFile(project, id);
  const text = formatNewTask(record);
  // What no reader takes must not take the place of what is there.
  const check = parseTaskFile(text, path, { expected: { id, project } });
  if (!check.ok) return failed({ kind: 'file-rejected', diagnostics: check.diagnostics });
  const made = files.makeDirectory(paths.taskDir(project, id));
  if (!made.ok) return made;
  const unreadable = files.readText(path, MAX_KEPT_BYTES, 'lossy');
  if (!unreadable.ok) {
    // What cannot be kept is not written over.
    if (!isGone(unreadable.failure)) return unreadable;
    const written = files.replace(path, text);
    return written.ok ? success(undefined) : written;
  }
  const name = `unreadable-${at.replace(/[^0-9]/g, '')}.md`;
  const kept = store.writeTranscript({ project, id, name, text: unreadable.value.text });
  if (!kept.ok) return kept;
  const written = store.replaceText(project, id, { current: unreadable.value, text });
  if (!written.ok) return written;
  return written.value ? success(undefined) : failed(busy(path));
}
