import { isInBacklog, PRIORITIES, priorityOf } from '../domain/extensions.js';
import { inboxOf, waitsForPerson } from '../domain/inbox.js';
import { isTerminal } from '../domain/status.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';
import type { Filter, UiState } from './ui-state.js';

export type VisibleTasks = {
  readonly tasks: readonly TaskView[];
  /** Tasks of the chosen projects, whatever the filter says. */
  readonly inScope: readonly TaskView[];
  /** Backlog tasks that the list keeps folded. */
  readonly folded: number;
};

type Choice = Pick<
  UiState,
  'homeProject' | 'isEveryProject' | 'isBacklogOpen' | 'filter' | 'search'
>;

/** The tasks the list shows, in its order: what waits for a person, what runs, what is to come, what is over. */
export function visibleTasks(snapshot: Snapshot, choice: Choice): VisibleTasks {
  const inScope = snapshot.tasks.filter(
    (task) => choice.isEveryProject || task.fields.project === choice.homeProject,
  );
  const matching = inScope.filter(
    (task) => passesFilter(task, choice.filter) && matchesSearch(task, choice.search),
  );
  const isFolded = (task: TaskView) =>
    !choice.isBacklogOpen && choice.search === '' && inBacklog(task);
  const order = orderOf(snapshot, choice.filter);
  const tasks = matching.filter((task) => !isFolded(task)).toSorted(order);
  return { tasks, inScope, folded: matching.length - tasks.length };
}

/** The place of each waiting task in the line, counted without the backlog; 1 starts first. */
export function queuePlaces({ queue = [] }: Snapshot, tasks: readonly TaskView[]) {
  const waiting = new Set(
    tasks.filter((task) => isWaiting(task) && !inBacklog(task)).map(({ fields }) => fields.id),
  );
  const inLine = queue.filter((id) => waiting.has(id));
  return new Map(inLine.map((id, index) => [id, index + 1]));
}

/** Whether a task goes on only when a person does something. */
export function needsPerson(task: TaskView): boolean {
  return !isTerminal(task.fields.status) && (waitsForPerson(task) || hasError(task));
}

/** Tasks put off: waiting, and not meant to be started yet. */
export function inBacklog(task: TaskView): boolean {
  return task.fields.status === 'pending' && isInBacklog(task.extensions);
}

/** Where the selection stands in a list that may have changed since. */
export function selectedIndex(tasks: readonly TaskView[], selected: UiState['selected']): number {
  const index = tasks.findIndex((task) => task.fields.id === selected.taskId);
  return index >= 0 ? index : Math.max(0, Math.min(selected.index, tasks.length - 1));
}

function passesFilter(task: TaskView, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'active':
      return !isTerminal(task.fields.status);
    case 'inbox':
      return needsPerson(task);
    case 'queue':
      return isWaiting(task);
    case 'done':
      return isTerminal(task.fields.status);
  }
}

function matchesSearch(task: TaskView, search: string): boolean {
  const { project, branch, summary, status, harness, id } = task.fields;
  const text = `${project}/${branch} ${summary} ${status} ${harness} ${id}`.toLowerCase();
  return search
    .toLowerCase()
    .split(' ')
    .every((word) => text.includes(word));
}

function hasError(task: TaskView): boolean {
  return task.problems.some((problem) => problem.severity === 'error');
}

type Order = (left: TaskView, right: TaskView) => number;

function orderOf(snapshot: Snapshot, filter: Filter): Order {
  const { queue = [] } = snapshot;
  const places = new Map(queue.map((id, index) => [id, index]));
  const placeOf = ({ fields }: TaskView) => places.get(fields.id) ?? queue.length;
  const inQueue: Order = (left, right) => placeOf(left) - placeOf(right) || byUrgency(left, right);
  const inList: Order = (left, right) => {
    const group = groupOf(left) - groupOf(right);
    if (group !== 0) return group;
    if (groupOf(left) === OVER) return compare(right.fields.updated_at, left.fields.updated_at);
    return isWaiting(left) && isWaiting(right) ? inQueue(left, right) : byUrgency(left, right);
  };
  if (filter === 'queue') return inQueue;
  return filter === 'inbox' ? inInbox(snapshot, inList) : inList;
}

/** What has waited longest comes first, as in `orange inbox`; then what has no entry there. */
function inInbox(snapshot: Snapshot, otherwise: Order): Order {
  const ids = new Set(inboxOf(snapshot).map((item) => item.task_id));
  const places = new Map([...ids].map((id, index) => [id, index]));
  const placeOf = ({ fields }: TaskView) => places.get(fields.id) ?? ids.size;
  return (left, right) => placeOf(left) - placeOf(right) || otherwise(left, right);
}

function byUrgency(left: TaskView, right: TaskView): number {
  return (
    rankOf(left) - rankOf(right) ||
    compare(left.fields.created_at, right.fields.created_at) ||
    compare(left.fields.id, right.fields.id)
  );
}

function isWaiting(task: TaskView): boolean {
  return task.fields.status === 'pending';
}

const OVER = 4;

function groupOf(task: TaskView): number {
  if (isTerminal(task.fields.status)) return OVER;
  if (needsPerson(task)) return 0;
  if (task.fields.status !== 'pending') return 1;
  return inBacklog(task) ? 3 : 2;
}

function rankOf(task: TaskView): number {
  return PRIORITIES.indexOf(priorityOf(task.extensions));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
