import { join } from 'node:path';
import { failpoint } from '../domain/failpoint.js';
import type { Result } from '../domain/result.js';
import { success } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import type { FileContent, TaskFileSource } from '../observe/task-file-observer.js';
import type { Files, FileStamp } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { artifactsOf, readSections } from '../record/sections.js';
import { MAX_TASK_FILE_BYTES } from '../record/split-frontmatter.js';
import { parseTaskFile } from '../record/task-file.js';
import type { LoadedTask, TaskStore } from '../record/task-store.js';

/** Task files as the observer wants them: stamps to compare, contents with their artifacts. */
export function createTaskFileSource(parts: {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
}): TaskFileSource {
  const { files, paths, store } = parts;
  return {
    stamp(task): Result<FileStamp | null> {
      const state = files.stat(paths.taskFile(task.fields.project, task.fields.id));
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
export type CopyState = 'linked' | 'mended' | 'adopted' | 'unsettled' | 'unusable';

/**
 * Brings the worktree's TASK.md back to being a link. An agent that saves by rename leaves a file of
 * its own there: what it wrote is taken over first, once it is whole.
 */
export function mendTaskLink(
  parts: { readonly files: Files; readonly paths: Paths; readonly store: TaskStore },
  task: TaskState,
  isQuiet: (stamp: FileStamp) => boolean,
): CopyState {
  const { files, paths } = parts;
  const { workspace, project, id } = task.fields;
  if (workspace === null) return 'linked';
  const target = paths.taskFile(project, id);
  const link = join(paths.workspace(workspace), 'TASK.md');
  const state = files.stat(link);
  if (!state.ok) return 'unusable';
  if (state.value.kind === 'link' && state.value.target === target) return 'linked';
  if (state.value.kind === 'file') {
    return isQuiet(state.value.stamp) ? adoptCopy(parts, link, { id, project }) : 'unsettled';
  }
  // A start makes the worktree and then the link; one that is there too early is in its way.
  if (task.activity === 'starting') return 'unusable';
  const directory = files.stat(paths.workspace(workspace));
  if (!directory.ok || directory.value.kind !== 'directory') return 'unusable';
  return files.link(link, target).ok ? 'mended' : 'unusable';
}

function adoptCopy(
  { files, paths, store }: Parameters<typeof mendTaskLink>[0],
  path: string,
  { id, project }: { readonly id: string; readonly project: string },
): CopyState {
  const copy = files.readText(path, MAX_TASK_FILE_BYTES);
  if (!copy.ok || !parseTaskFile(copy.value.text, path, { expected: { id, project } }).ok) {
    return 'unusable';
  }
  const target = paths.taskFile(project, id);
  const current = files.readText(target, MAX_TASK_FILE_BYTES, 'lossy');
  const taken = current.ok
    ? store.replaceText(project, id, { current: current.value, text: copy.value.text })
    : files.replace(target, copy.value.text);
  if (!taken.ok) return 'unusable';
  if (taken.value === false) return 'unsettled';
  failpoint('adopt.copied');
  const linked = store.linkCopy(project, id, { ...copy.value, path });
  if (!linked.ok) return 'unusable';
  // Somebody saved again: what was taken over is an older state of the same copy.
  return linked.value ? 'adopted' : 'unsettled';
}
