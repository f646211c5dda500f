import { join } from 'node:path';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import type { Result } from '../domain/result.js';
import { success } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import type { FileContent, TaskFileSource } from '../observe/task-file-observer.js';
import type { Files, FileStamp, ReadFile } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { digestOf } from '../record/replace-task-file.js';
import { artifactsOf, readSections } from '../record/sections.js';
import { MAX_TASK_FILE_BYTES } from '../record/split-frontmatter.js';
import { parseTaskFile } from '../record/task-file.js';
import type { LoadedTask, TaskStore } from '../record/task-store.js';
import type { CopyOrigins } from './copy-origins.js';
import { takeCopyText } from './take-copy-text.js';

/** Task files as the observer wants them: stamps to compare, contents with their artifacts. */
export function createTaskFileSource(parts: {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
}): TaskFileSource {
  const { files, paths, store } = parts;
  // Asked for each second: to put the path together would take a quarter of a look.
  const places = new WeakMap<TaskState['fields'], string>();
  const placeOf = ({ fields }: TaskState): string => {
    const known = places.get(fields);
    if (known !== undefined) return known;
    const place = paths.taskFile(fields.project, fields.id);
    places.set(fields, place);
    return place;
  };
  return {
    stamp(task): Result<FileStamp | null> {
      const state = files.stat(placeOf(task));
      if (!state.ok) return state;
      return success(state.value.kind === 'file' ? state.value.stamp : null);
    },
    read: (task) => contentOf(store.load(task.fields.project, task.fields.id, 'claimed')),
  };
}

/** What a task's file says, with its artifacts. */
export function contentOf(loaded: LoadedTask): FileContent {
  if (loaded.kind === 'unreadable') return { kind: 'unreadable', diagnostics: loaded.diagnostics };
  const { fields, extensions, body } = loaded.record;
  const { sections } = readSections(body);
  return {
    kind: 'read',
    body,
    seen: {
      fields,
      extensions,
      context: sections.Context ?? null,
      artifacts: artifactsOf(sections),
    },
  };
}

/** What became of the TASK.md in a worktree, which should be a link to the task's own file. */
export type CopyState =
  | { readonly kind: 'linked' | 'mended' | 'adopted' | 'unsettled' | 'unusable' }
  /** What stood in the copy, or in its way, is a transcript; the link follows when the history has it. */
  | { readonly kind: 'kept'; readonly transcript: string }
  /** The machine stood in the way: it is to be tried again. */
  | { readonly kind: 'hindered'; readonly failure: Failure };

type LinkParts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly origins: CopyOrigins;
};

/** What is known of a copy: how long nobody has written to it, and whether it was taken over. */
export type CopyRest = {
  /** Whether it may be taken over if it is this task's file. */
  isQuiet(stamp: FileStamp): boolean;
  /** Whether it will not become this task's file any more, if it is not yet. */
  isSettled(stamp: FileStamp): boolean;
  /** Whether what it says is in the task's file already, and all it lacks is the link. */
  isTaken(copy: ReadFile): boolean;
  noteTaken(copy: ReadFile): void;
};

/**
 * Brings the worktree's TASK.md back to being a link. An agent that saves by rename leaves a file of
 * its own there: what it wrote is taken over first, once it is whole. What is not this task's file is
 * kept among its transcripts.
 */
export function mendTaskLink(parts: LinkParts, task: TaskState, rest: CopyRest): CopyState {
  const state = lookAtLink(parts, task, rest);
  if (HEALED.has(state.kind)) parts.origins.forget(task.fields.id);
  return state;
}

/** There is no copy any more. */
const HEALED: ReadonlySet<CopyState['kind']> = new Set(['linked', 'mended', 'adopted']);

function lookAtLink(parts: LinkParts, task: TaskState, rest: CopyRest): CopyState {
  const { files, paths } = parts;
  const { workspace, project, id } = task.fields;
  if (workspace === null) return LINKED;
  const target = paths.taskFile(project, id);
  const link = join(paths.workspace(workspace), 'TASK.md');
  const state = files.stat(link);
  if (!state.ok) return stoppedBy(state.failure);
  if (state.value.kind === 'link' && state.value.target === target) return LINKED;
  if (state.value.kind === 'file') {
    const { stamp } = state.value;
    parts.origins.see(task, stamp);
    // Asked in any case: it is from then on that a copy is known to be left alone.
    const isSettled = rest.isSettled(stamp);
    return rest.isQuiet(stamp) ? takeCopy(parts, link, { task, rest, isSettled }) : UNSETTLED;
  }
  // A start makes the worktree and then the link; one that is there too early is in its way.
  if (task.activity === 'starting') return UNUSABLE;
  // Somebody may be deleting it: what is no worktree any more gets nothing new.
  const pointer = files.stat(join(paths.workspace(workspace), '.git'));
  if (!pointer.ok || pointer.value.kind !== 'file') return UNUSABLE;
  const linked = files.link(link, target);
  return linked.ok ? MENDED : stoppedBy(linked.failure);
}

function takeCopy(
  parts: LinkParts,
  path: string,
  how: { readonly task: TaskState; readonly rest: CopyRest; readonly isSettled: boolean },
): CopyState {
  const { task, rest, isSettled } = how;
  const { id, project } = task.fields;
  const read = parts.files.readText(path, MAX_TASK_FILE_BYTES);
  if (!read.ok) return stoppedBy(read.failure);
  const copy = { ...read.value, path };
  if (parseTaskFile(copy.text, path, { expected: { id, project } }).ok) {
    return adoptCopy(parts, task, copy, rest);
  }
  if (task.activity === 'starting') return UNUSABLE;
  return isSettled ? keepCopy(parts, task, copy) : UNSETTLED;
}

type Copy = ReadFile & { readonly path: string };

function adoptCopy(parts: LinkParts, task: TaskState, copy: Copy, rest: CopyRest): CopyState {
  const { id, project } = task.fields;
  if (!rest.isTaken(copy)) {
    const taken = takeCopyText(parts, task, copy);
    if (!taken.ok) return stoppedBy(taken.failure);
    if (taken.value.kind === 'changed') return UNSETTLED;
    if (taken.value.kind === 'kept') return taken.value;
    // Who writes into the task's own file from now on must not be written over by this copy again.
    rest.noteTaken(copy);
    parts.origins.note(id, copy.text);
    failpoint('adopt.copied');
  }
  const linked = parts.store.linkCopy(project, id, copy);
  if (!linked.ok) return stoppedBy(linked.failure);
  // Somebody saved again: what was taken over is an older state of the same copy.
  return linked.value ? { kind: 'adopted' } : UNSETTLED;
}

/** Sets the words of a copy aside, then puts the link in its place. */
function keepCopy({ store }: LinkParts, task: TaskState, copy: Copy): CopyState {
  const { id, project } = task.fields;
  const { text } = copy;
  const transcript = `late-edit-${digestOf(text)}.md`;
  if (text.trim() !== '' && task.keptEdit !== transcript) {
    const kept = store.writeTranscript({ project, id, name: transcript, text });
    return kept.ok ? { kind: 'kept', transcript } : stoppedBy(kept.failure);
  }
  const linked = store.linkCopy(project, id, copy);
  if (!linked.ok) return stoppedBy(linked.failure);
  return linked.value ? MENDED : UNSETTLED;
}

/** The machine may let it be done a moment later. */
function stoppedBy(failure: Failure): CopyState {
  return isMachineFault(failure) ? { kind: 'hindered', failure } : UNUSABLE;
}

const LINKED: CopyState = { kind: 'linked' };
const MENDED: CopyState = { kind: 'mended' };
const UNSETTLED: CopyState = { kind: 'unsettled' };
const UNUSABLE: CopyState = { kind: 'unusable' };
