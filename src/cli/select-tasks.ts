import { isTerminal, type Status } from '../domain/status.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';

export type Selection = {
  /** Null for every project. */
  readonly project: string | null;
  readonly status: readonly Status[] | null;
  /** Whether tasks that are over are wanted, too. */
  readonly isAll: boolean;
};

/** The tasks of a list, by project and then by age. */
export function selectTasks(
  snapshot: Pick<Snapshot, 'tasks'>,
  { project, status, isAll }: Selection,
): readonly TaskView[] {
  const isWanted = (task: TaskView): boolean => {
    if (project !== null && task.fields.project !== project) return false;
    if (status !== null) return status.includes(task.fields.status);
    return isAll || !isTerminal(task.fields.status);
  };
  return snapshot.tasks.filter(isWanted).toSorted(byAge);
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
