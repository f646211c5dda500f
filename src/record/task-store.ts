import { join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { Failure } from '../domain/failure.js';
import { failed, success, type Result } from '../domain/result.js';
import { isProjectName, isTaskId } from '../domain/task-id.js';
import type { TaskRecord } from '../domain/task.js';
import type { Files, FileStamp, ReadFile } from '../ports.js';
import { createTaskFolder, type StoredTask } from './create-task-folder.js';
import { diagnoseGone, diagnoseUnreadable } from './diagnose-unreadable.js';
import { editTaskFile, type TaskEdits } from './edit-task-file.js';
import type { Paths } from './paths.js';
import { createReplacer, type ReplacedFile, type Replacer } from './replace-task-file.js';
import { MAX_TASK_FILE_BYTES } from './split-frontmatter.js';
import type { Names } from './task-fields.js';
import { contextOf, TaskFileReader, type TaskPlace } from './task-file-reader.js';

const MAX_ATTEMPTS = 12;
const EMPTY_TRIES = 3;
const EMPTY_PAUSE_MS = 1;

export type LoadedTask =
  | (Folder & StoredTask & { readonly kind: 'task' })
  | (Folder & {
      readonly kind: 'unreadable';
      /** Null when there is no regular file at all. */
      readonly stamp: FileStamp | null;
      readonly diagnostics: readonly Diagnostic[];
    });

type Folder = TaskPlace & { readonly dir: string };

export type TaskStore = {
  /** Every task directory, terminal ones too; a bad one never hides another. */
  loadAll(): Result<readonly LoadedTask[]>;
  /** The names in the file must agree with its folder, unless the caller knows the task. */
  load(project: string, id: string, names?: Names): LoadedTask;
  read(project: string, id: string, names?: Names): Result<StoredTask>;
  /** Makes the directory with TASK.md and, behind it, the first history lines. */
  create(record: TaskRecord, historyLines: readonly string[]): Result<StoredTask>;
  /**
   * Applies an edit to the file as it is on disk now. The edit is asked again, with the newer
   * content, whenever somebody else wrote in between, so neither side's change is lost.
   */
  write(project: string, id: string, edit: (current: TaskRecord) => TaskEdits): Result<StoredTask>;
  /** Puts a whole text in the place of what was read; false when somebody else wrote first. */
  replaceText(
    project: string,
    id: string,
    texts: { readonly current: ReadFile; readonly text: string },
  ): Result<boolean>;
  /** Puts a link to the task's file in the place of a copy that was read; false when it changed. */
  linkCopy(
    project: string,
    id: string,
    copy: ReadFile & { readonly path: string },
  ): Result<boolean>;
  remove(project: string, id: string): Result<void>;
  writeTranscript(task: {
    readonly project: string;
    readonly id: string;
    readonly name: string;
    readonly text: string;
  }): Result<void>;
};

export function createTaskStore(world: {
  readonly files: Files;
  readonly paths: Paths;
  /** Told of each file that was replaced: somebody may still write into it. */
  readonly onReplaced?: (replaced: ReplacedFile) => void;
}): TaskStore {
  const replacer = createReplacer({ onReplaced: () => undefined, ...world });
  const store = new DiskTaskStore(world.files, world.paths, replacer);
  return {
    loadAll: () => store.loadAll(),
    load: (project, id, names) => store.load(project, id, names),
    read: (project, id, names) => store.read(project, id, names),
    create: (record, lines) => {
      const { project, id } = record.fields;
      const known = checkNames(project, id);
      return known.ok ? createTaskFolder(world, record, lines) : known;
    },
    write: (project, id, edit) => store.write(project, id, edit),
    replaceText: (project, id, texts) => {
      const replaced = replacer.replace(project, id, texts);
      return replaced.ok ? success(replaced.value !== null) : replaced;
    },
    linkCopy: (project, id, copy) => replacer.linkCopy(project, id, copy),
    remove: (project, id) => {
      const known = checkNames(project, id);
      if (!known.ok) return known;
      const { files, paths } = world;
      return files.removeTree(paths.taskDir(project, id), join(paths.removedDir, id));
    },
    writeTranscript: (task) => store.writeTranscript(task),
  };
}

class DiskTaskStore {
  readonly #files: Files;
  readonly #paths: Paths;
  readonly #replacer: Replacer;
  readonly #reader: TaskFileReader;

  constructor(files: Files, paths: Paths, replacer: Replacer) {
    this.#files = files;
    this.#paths = paths;
    this.#replacer = replacer;
    this.#reader = new TaskFileReader(paths);
  }

  loadAll(): Result<readonly LoadedTask[]> {
    const projects = this.#directories(this.#paths.tasksDir);
    if (!projects.ok) return projects;
    const tasks: LoadedTask[] = [];
    for (const project of projects.value) {
      const dir = join(this.#paths.tasksDir, project);
      const ids = this.#directories(dir);
      if (ids.ok) tasks.push(...ids.value.map((id) => this.load(project, id)));
      else tasks.push(unreadableProject(project, dir, ids.failure));
    }
    return success(tasks);
  }

  load(project: string, id: string, names: Names = 'agree'): LoadedTask {
    const known = checkNames(project, id);
    const dir = known.ok
      ? this.#paths.taskDir(project, id)
      : join(this.#paths.tasksDir, project, id);
    const stored = this.read(project, id, names);
    if (stored.ok) return { kind: 'task', project, id, dir, ...stored.value };
    const file = join(dir, 'TASK.md');
    const state = this.#files.stat(file);
    const stamp = state.ok && state.value.kind === 'file' ? state.value.stamp : null;
    const isGone = state.ok && state.value.kind === 'absent' && known.ok;
    const diagnostics =
      isGone && this.#hasHistory(project, id)
        ? [diagnoseGone(file)]
        : diagnoseUnreadable(stored.failure, file);
    return { kind: 'unreadable', project, id, dir, stamp, diagnostics };
  }

  /** Whether the task's folder is there, and is no folder that somebody is taking away. */
  #hasHistory(project: string, id: string): boolean {
    const state = this.#files.stat(this.#paths.historyFile(project, id));
    return state.ok && state.value.kind === 'file';
  }

  read(project: string, id: string, names: Names = 'agree'): Result<StoredTask> {
    const file = this.#readFile(project, id);
    return file.ok ? this.#parse({ project, id }, file.value, names) : file;
  }

  write(project: string, id: string, edit: (current: TaskRecord) => TaskEdits): Result<StoredTask> {
    let current = this.#readFile(project, id);
    for (let attempt = 0; attempt < MAX_ATTEMPTS && current.ok; attempt += 1) {
      const outcome = this.#replaceOnce(project, id, current.value, edit);
      if (!outcome.ok) return outcome;
      if (outcome.value !== null) return success(outcome.value);
      current = this.#readFile(project, id);
    }
    if (!current.ok) return current;
    const path = this.#paths.taskFile(project, id);
    return failed({ kind: 'io-failed', path, operation: 'replace', code: 'EBUSY' });
  }

  /** The task as it was written; null when somebody else wrote first. */
  #replaceOnce(
    project: string,
    id: string,
    current: ReadFile,
    edit: (current: TaskRecord) => TaskEdits,
  ): Result<StoredTask | null> {
    const file = this.#paths.taskFile(project, id);
    // Whoever writes knows the task.
    const before = this.#parse({ project, id }, current, 'claimed');
    if (!before.ok) return before;
    const context = contextOf({ project, id }, current.stamp, 'claimed');
    const edits = edit(before.value.record);
    const edited = editTaskFile(current.text, edits, { file, context });
    if (!edited.ok) return edited;
    if (edited.value.text === current.text) return before;
    for (const { name, text } of edits.transcripts ?? []) {
      const kept = this.writeTranscript({ project, id, name, text });
      if (!kept.ok) return kept;
    }
    const replaced = this.#replacer.replace(project, id, { current, text: edited.value.text });
    if (!replaced.ok) return replaced;
    if (replaced.value === null) return success(null);
    const { record } = edited.value;
    return success({ record, stamp: replaced.value, diagnostics: before.value.diagnostics });
  }

  writeTranscript(task: {
    readonly project: string;
    readonly id: string;
    readonly name: string;
    readonly text: string;
  }): Result<void> {
    const known = checkNames(task.project, task.id);
    if (!known.ok) return known;
    const dir = this.#paths.transcriptsDir(task.project, task.id);
    if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/.test(task.name)) {
      return failed({ kind: 'not-found', what: 'file', name: task.name });
    }
    const made = this.#files.makeDirectory(dir);
    if (!made.ok) return made;
    const written = this.#files.replace(join(dir, task.name), task.text);
    return written.ok ? success(undefined) : written;
  }

  #readFile(project: string, id: string): Result<ReadFile> {
    const known = checkNames(project, id);
    if (!known.ok) return known;
    const path = this.#paths.taskFile(project, id);
    let file = this.#files.readText(path, MAX_TASK_FILE_BYTES);
    // Whoever writes the file in place leaves it empty for a moment.
    for (let tries = 0; tries < EMPTY_TRIES && file.ok && file.value.text === ''; tries += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EMPTY_PAUSE_MS);
      file = this.#files.readText(path, MAX_TASK_FILE_BYTES);
    }
    return file;
  }

  #parse(place: TaskPlace, file: ReadFile, names: Names): Result<StoredTask> {
    const reading = this.#reader.read(place, file, names);
    if (!reading.ok) return failed({ kind: 'file-rejected', diagnostics: reading.diagnostics });
    const { record, diagnostics } = reading;
    return success({ record, stamp: file.stamp, diagnostics });
  }

  #directories(path: string): Result<readonly string[]> {
    const state = this.#files.stat(path);
    if (!state.ok) return state;
    if (state.value.kind === 'absent') return success([]);
    const names = this.#files.list(path);
    if (!names.ok) return names;
    return success(
      names.value.filter((name) => {
        const entry = this.#files.stat(join(path, name));
        return !name.startsWith('.') && (!entry.ok || entry.value.kind === 'directory');
      }),
    );
  }
}

/** Stands for all tasks of a project whose directory cannot be read. */
function unreadableProject(project: string, dir: string, failure: Failure): LoadedTask {
  const diagnostics = diagnoseUnreadable(failure, dir);
  return { kind: 'unreadable', project, id: '', dir, stamp: null, diagnostics };
}

function checkNames(project: string, id: string): Result<void> {
  const isKnown = isProjectName(project) && isTaskId(id);
  return isKnown ? success(undefined) : failed(noSuchTask(project, id));
}

function noSuchTask(project: string, id: string): Failure {
  return { kind: 'not-found', what: 'task', name: `${project}/${id}` };
}
