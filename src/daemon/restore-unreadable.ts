import type { HistoryEvent } from '../domain/history-event.js';
import { NO_ARTIFACTS } from '../domain/section.js';
import type { TaskState } from '../domain/world.js';
import { tellLoss } from '../engine/lost-file.js';
import { restoreTask } from '../engine/restore-task.js';
import { fieldsFromHistory } from '../record/fields-from-history.js';
import type { HistoryLog } from '../record/history-log.js';
import type { Paths } from '../record/paths.js';

type Parts = { readonly history: HistoryLog; readonly paths: Paths };
type Known = Pick<Parameters<typeof restoreTask>[0], 'problems' | 'events' | 'now'>;

/** A task whose file cannot be read is what its history makes it. Null where even that begins with nothing. */
export function restoreUnreadable(
  { history, paths }: Parts,
  place: { readonly project: string; readonly id: string },
  known: Known,
): TaskState | null {
  if (fieldsFromHistory(place, known.events) === null) return null;
  const fields = fieldsFromHistory(place, [...known.events, ...updatesIn()]);
  if (fields === null) return null;
  const isProvisional = true;
  const problems = tellLoss({ fields, context: null, isProvisional }, known.problems, false);
  return restoreTask({
    fields,
    extensions: {},
    context: null,
    artifacts: NO_ARTIFACTS,
    ...known,
    problems,
    isProvisional,
  });

  /** What is replayed of a history leaves out what a file tells. */
  function updatesIn(): readonly HistoryEvent[] {
    const read = history.read(paths.historyFile(place.project, place.id), UPDATES);
    return read.ok ? read.value.events : [];
  }
}

const UPDATES: ReadonlySet<string> = new Set(['task.updated', 'pr.opened', 'pr.updated']);
