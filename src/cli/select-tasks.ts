import { isInBacklog, listOf, priorityOf, textOf } from '../domain/extensions.js';
import { isTerminal, type Status } from '../domain/status.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';

export type Selection = {
  /** Null for every project. */
  readonly project: string | null;
  readonly status: readonly Status[] | null;
  /** Whether tasks that are over are wanted, too. */
  readonly isAll: boolean;
  readonly filter?: TaskFilter;
};

/** What tasks must be like; each list holds what is good enough, none means anything. */
export type TaskFilter = {
  readonly queue?: readonly string[];
  readonly priority?: readonly string[];
  readonly category?: readonly string[];
  readonly tag?: readonly string[];
};

/** The tasks of a list, by project and then by age. */
export function selectTasks(
  snapshot: Pick<Snapshot, 'tasks'>,
  { project, status, isAll, filter = {} }: Selection,
): readonly TaskView[] {
  const isWanted = (task: TaskView): boolean => {
    if (project !== null && task.fields.project !== project) return false;
    if (!passesFilter(task, filter)) return false;
    if (status !== null) return status.includes(task.fields.status);
    return isAll || !isTerminal(task.fields.status);
  };
  return snapshot.tasks.filter(isWanted).toSorted(byAge);
}

function passesFilter({ extensions }: TaskView, wanted: TaskFilter): boolean {
  const category = textOf(extensions['category']) ?? 'feature';
  const queue = isInBacklog(extensions) ? 'backlog' : 'active';
  return (
    isAmong([queue], wanted.queue) &&
    isAmong([priorityOf(extensions)], wanted.priority) &&
    isAmong([category], wanted.category) &&
    isAmong(listOf(extensions['tags']), wanted.tag)
  );
}

function isAmong(values: readonly string[], wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || values.some((value) => wanted.includes(value));
}

function byAge(a: TaskView, b: TaskView): number {
  return (
    compare(a.fields.project, b.fields.project) ||
    compare(a.fields.created_at, b.fields.created_at) ||
    compare(a.fields.id, b.fields.id)
  );
}

// Comparing by the rules of a language would load them first, which takes longer than the list.
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
