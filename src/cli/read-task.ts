import type { HistoryEvent } from '../domain/history-event.js';
import { success, type Result } from '../domain/result.js';
import type { Sections } from '../domain/section.js';
import type { TaskView } from '../domain/task-view.js';
import { createHistoryLog } from '../record/history-log.js';
import { readSections } from '../record/sections.js';
import { MAX_TASK_FILE_BYTES, splitFrontmatter } from '../record/split-frontmatter.js';
import type { CommandContext } from './command-context.js';

export type TaskDocument = {
  readonly dir: string;
  readonly text: string;
  readonly sections: Sections;
};

/** What the task's own file says, beyond its fields. */
export function readTaskDocument(
  context: Pick<CommandContext, 'files' | 'paths'>,
  task: TaskView,
): Result<TaskDocument> {
  const { project, id } = task.fields;
  const path = context.paths.taskFile(project, id);
  const file = context.files.readText(path, MAX_TASK_FILE_BYTES);
  if (!file.ok) return file;
  const { text } = file.value;
  const split = splitFrontmatter(text, path);
  const body = split.ok ? split.parts.body : '';
  return success({
    dir: context.paths.taskDir(project, id),
    text,
    sections: readSections(body).sections,
  });
}

export function readTaskHistory(
  context: Pick<CommandContext, 'files' | 'paths'>,
  task: TaskView,
): Result<readonly HistoryEvent[]> {
  const { project, id } = task.fields;
  const history = createHistoryLog(context.files).read(context.paths.historyFile(project, id));
  return history.ok ? success(history.value.events) : history;
}
