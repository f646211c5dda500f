import type { Failure } from '../domain/failure.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import { success, type Result } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import type { Files, ReadFile } from '../ports.js';
import { editTaskFile } from '../record/edit-task-file.js';
import type { Conflict } from '../record/merge-bodies.js';
import { mergeCopy, saysMore } from '../record/merge-copy.js';
import type { Paths } from '../record/paths.js';
import { digestOf } from '../record/replace-task-file.js';
import { MAX_TASK_FILE_BYTES } from '../record/split-frontmatter.js';
import { parseTaskFile } from '../record/task-file.js';
import type { TaskStore } from '../record/task-store.js';
import type { CopyOrigins } from './copy-origins.js';
import { OwnEdits } from './own-edits.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly origins: CopyOrigins;
};

/** Where the words of a copy are now. */
export type Taken =
  | { readonly kind: 'taken' }
  /** Somebody wrote meanwhile: it is to be tried again. */
  | { readonly kind: 'changed' }
  /** First the history is to name the words that must give way to it. */
  | { readonly kind: 'kept'; readonly transcript: string };

/** As much is kept of a TASK.md that is too large to be one. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Brings a copy's text into the task's own file. Where nobody else has written there since the copy was
 * made it is taken as it stands, with what it leaves out. Else both are merged, and what cannot be is
 * kept among the transcripts.
 */
export function takeCopyText(parts: Parts, task: TaskState, copy: ReadFile): Result<Taken> {
  const { files, paths, store } = parts;
  const { id, project } = task.fields;
  const { text } = copy;
  const target = paths.taskFile(project, id);
  const current = files.readText(target, MAX_TASK_FILE_BYTES, 'lossy');
  if (current.ok && current.value.text === text) return success(TAKEN);
  if (current.ok) {
    const plan = planTaking(parts, task, { copy, current: current.value });
    return carryOut(store, task, { ...plan, current: current.value });
  }
  if (isTooLarge(current.failure)) {
    const large = files.readStart(target, MAX_KEPT_BYTES);
    if (!large.ok) return large;
    const kept = [{ stem: 'unreadable', text: large.value.text }] as const;
    return carryOut(store, task, { text, kept, current: large.value });
  }
  // What cannot be looked at now must not be written over as if it were gone.
  if (isMachineFault(current.failure)) return current;
  const replaced = files.replace(target, text);
  return replaced.ok ? success(TAKEN) : replaced;
}

type Sides = { readonly copy: ReadFile; readonly current: ReadFile };

/** What the file is to say, and what of it cannot stay there. */
type Plan = { readonly text: string; readonly kept: readonly KeptWords[] };
type KeptWords = { readonly stem: 'late-edit' | 'unreadable'; readonly text: string };

function planTaking(
  { files, paths, origins }: Parts,
  task: TaskState,
  { copy, current }: Sides,
): Plan {
  const { id, project } = task.fields;
  const asItIs: Plan = { text: copy.text, kept: [] };
  const origin = origins.of(id);
  const isNewer = current.stamp.mtimeMs >= copy.stamp.mtimeMs;
  const hasStayed = origin === null ? !isNewer : origin === current.text;
  if (hasStayed || current.text.trim() === '') return asItIs;
  const file = paths.taskFile(project, id);
  const parse = (text: string): TaskRecord | null => {
    const reading = parseTaskFile(text, file, { expected: { id, project } });
    return reading.ok ? reading.record : null;
  };
  const [late, now] = [parse(copy.text), parse(current.text)];
  if (late === null || now === null) return keepWhole(copy, current, 'unreadable');
  const own = new OwnEdits({ files, paths });
  const mine = own.reapply(id, late);
  const sides = { copy: { ...late, body: mine.body }, current: now, known: task };
  const from = origin === null ? null : parse(origin);
  if (from === null) return saysMore(sides) ? keepWhole(copy, current, 'late-edit') : asItIs;
  const merged = mergeCopy({ ...from, body: own.reapply(id, from).body }, sides);
  if (merged === null) return asItIs;
  const edited = editTaskFile(current.text, merged.edits, { file });
  // Two that are too large together.
  if (!edited.ok) return keepWhole(copy, current, 'late-edit');
  return { text: edited.value.text, kept: wordsOf([...mine.conflicts, ...merged.conflicts]) };
}

function keepWhole({ text }: ReadFile, current: ReadFile, stem: KeptWords['stem']): Plan {
  return { text, kept: [{ stem, text: current.text }] };
}

function wordsOf(conflicts: readonly Conflict[]): readonly KeptWords[] {
  if (conflicts.length === 0) return [];
  const text = conflicts.map((each) => `${each.text.trimEnd()}\n`).join('\n');
  return [{ stem: 'late-edit', text }];
}

/** What gives way is kept, and told of, before something takes its place. */
function carryOut(
  store: TaskStore,
  { keptEdit, fields: { id, project } }: TaskState,
  { text, kept: [words], current }: Plan & { readonly current: ReadFile },
): Result<Taken> {
  const transcript = words === undefined ? null : `${words.stem}-${digestOf(words.text)}.md`;
  if (words !== undefined && transcript !== null && keptEdit !== transcript) {
    const kept = store.writeTranscript({ project, id, name: transcript, text: words.text });
    return kept.ok ? success({ kind: 'kept', transcript }) : kept;
  }
  if (text === current.text) return success(TAKEN);
  const taken = store.replaceText(project, id, { current, text });
  if (!taken.ok) return taken;
  return success(taken.value ? TAKEN : CHANGED);
}

function isTooLarge(failure: Failure): boolean {
  return failure.kind === 'io-failed' && failure.code === 'EFBIG';
}

const TAKEN: Taken = { kind: 'taken' };
const CHANGED: Taken = { kind: 'changed' };
