import type { TaskRecord } from '../domain/task.js';
import type { Files } from '../ports.js';
import { isContained } from '../record/merge-bodies.js';
import { mergeLateText } from '../record/merge-late-text.js';
import type { Paths } from '../record/paths.js';
import { parseTaskFile } from '../record/task-file.js';
import type { TaskStore } from '../record/task-store.js';

type Parts = { readonly files: Files; readonly paths: Paths; readonly store: TaskStore };

/** A text found in a file that was replaced. */
export type LateText = {
  readonly project: string;
  readonly id: string;
  readonly text: string;
  /** What the writer began from; null when nobody knows. */
  readonly base: string | null;
};

export type LateJudgement =
  /** All that it says stands in the task's file already, or there is no such task any more. */
  | { readonly kind: 'nothing-new' }
  | { readonly kind: 'news'; readonly base: TaskRecord; readonly late: TaskRecord }
  /** It cannot be told what is new in it: half a file, or one of which the beginning is unknown. */
  | { readonly kind: 'unclear' };

/** Finds out what a text that came too late has to say. */
export function judgeLateText(parts: Parts, found: LateText): LateJudgement {
  const { project, id, text } = found;
  if (text.trim() === '' || isGone(parts, found)) return { kind: 'nothing-new' };
  const late = parse(parts, found, text);
  const base = found.base === null ? null : parse(parts, found, found.base);
  const current = parts.store.read(project, id, 'claimed');
  if (late === null || !current.ok) return { kind: 'unclear' };
  const { record } = current.value;
  if (base === null) {
    return { kind: isContained(late.body, record.body) ? 'nothing-new' : 'unclear' };
  }
  const { edits, conflicts } = mergeLateText(base, record, late);
  const isNews =
    edits.body !== undefined || conflicts.length > 0 || hasKeys(edits.fields, edits.extensions);
  return isNews ? { kind: 'news', base, late } : { kind: 'nothing-new' };
}

function isGone({ files, paths }: Parts, { project, id }: LateText): boolean {
  const state = files.stat(paths.taskDir(project, id));
  return state.ok && state.value.kind === 'absent';
}

function parse({ paths }: Parts, { project, id }: LateText, text: string): TaskRecord | null {
  const file = paths.taskFile(project, id);
  const reading = parseTaskFile(text, file, { expected: { id, project } });
  return reading.ok ? reading.record : null;
}

function hasKeys(...maps: readonly (object | undefined)[]): boolean {
  return maps.some((map) => map !== undefined && Object.keys(map).length > 0);
}
