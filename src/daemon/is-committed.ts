import { isMachineFault } from '../domain/is-machine-fault.js';
import type { JsonValue } from '../domain/json.js';
import { success, type Result } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { OutboxEntry } from '../record/outbox.js';
import type { TaskStore } from '../record/task-store.js';

/** An entry, where its task is, and by what it is told that a later one of the same task counts. */
export type Placed = {
  readonly entry: OutboxEntry;
  readonly project: string;
  readonly laterCommits: readonly string[];
};

/**
 * Whether the TASK.md of an entry was replaced. It shows so by the `updated_at` of the entry or of a
 * later one of its task, since a task is not written again before what was not made is out of the
 * outbox. Another one that is later was written by somebody else, who may have had the old file
 * before him or the new one: then what the entry sets must stand there too.
 */
export function isCommitted(
  store: TaskStore,
  { entry, project, laterCommits }: Placed,
): Result<boolean> {
  const { commit } = entry;
  if (commit === null) return success(true);
  const task = store.read(project, entry.taskId);
  if (!task.ok) {
    // A file that says nothing proves nothing, and its history must not lose the event; a disk that
    // does not answer may do so later.
    return isMachineFault(task.failure) ? task : success(true);
  }
  const { record } = task.value;
  const writtenMs = Date.parse(record.fields.updated_at);
  if ([commit, ...laterCommits].some((each) => Date.parse(each) === writtenMs))
    return success(true);
  if (writtenMs < Date.parse(commit)) return success(false);
  return success(showsWhatIsSet(entry, record));
}

/**
 * Where the engine's own fields are set, they alone tell: an agent may have changed its summary since.
 * An edit that sets none is told by all that it sets. One that sets no field at all, such as a
 * question, an answer or a late edit, cannot be told, and does not count: what is not in the file is
 * asked, answered or merged again, and what is there stays there; only its line in the history is
 * lost, where otherwise one might be made up.
 */
function showsWhatIsSet({ sets, extensions = {} }: OutboxEntry, found: TaskRecord): boolean {
  // An entry of an older orange, which does not tell.
  if (sets === undefined) return true;
  const fields = Object.entries(sets);
  const owned = fields.filter(([name]) => ENGINE_FIELDS.has(name));
  const decisive = owned.length > 0 ? owned : [...fields, ...Object.entries(extensions)];
  const shown: Readonly<Record<string, JsonValue>> = { ...found.extensions, ...found.fields };
  return decisive.length > 0 && decisive.every(([name, value]) => isSame(shown[name], value));
}

/** A key that is not there is one that was removed. */
function isSame(found: JsonValue | undefined, set: JsonValue): boolean {
  return JSON.stringify(found ?? null) === JSON.stringify(set);
}

/** What nobody but the engine sets, so that it tells whose file it is. */
const ENGINE_FIELDS: ReadonlySet<string> = new Set([
  'status',
  'review_round',
  'crash_count',
  'workspace',
  'tmux_session',
  'pr_url',
]);
