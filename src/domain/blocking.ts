/** Whom each task waits for; empty for a task that nobody knows. */
export type Blocking = (taskId: string) => readonly string[];

/** The way from one task along its blockers to another, both ends included, or null when there is none. */
export function findBlockingPath(
  blocking: Blocking,
  from: string,
  to: string,
): readonly string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return pathTo(at, cameFrom);
    for (const next of blocking(at)) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      open.push(next);
    }
  }
  return null;
}

/** The way from a task along its blockers back to itself, or null when it does not wait for itself. */
export function findCycle(blocking: Blocking, taskId: string): readonly string[] | null {
  for (const blocker of blocking(taskId)) {
    const path = findBlockingPath(blocking, blocker, taskId);
    if (path !== null) return [taskId, ...path];
  }
  return null;
}

/** Every task that waits for itself in the end, found by going over all of them once. */
export function findTasksInCycles(
  taskIds: Iterable<string>,
  blocking: Blocking,
): ReadonlySet<string> {
  const search: Search = {
    blocking,
    order: new Map(),
    low: new Map(),
    stack: [],
    found: new Set(),
  };
  for (const id of taskIds) if (!search.order.has(id)) exploreFrom(search, id);
  return search.found;
}

/** Tarjan's search for strongly connected parts, without recursion, as chains may be long. */
type Search = {
  readonly blocking: Blocking;
  readonly order: Map<string, number>;
  readonly low: Map<string, number>;
  readonly stack: string[];
  readonly found: Set<string>;
};

type Visit = { readonly id: string; readonly rest: string[] };

function exploreFrom(search: Search, root: string): void {
  const visits = [enter(search, root)];
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const next = visit.rest.pop();
    if (next === undefined) {
      visits.pop();
      leave(search, visit.id, visits.at(-1)?.id);
    } else if (!search.order.has(next)) {
      visits.push(enter(search, next));
    } else if (search.low.has(next)) {
      lower(search, visit.id, search.order.get(next));
    }
  }
}

function enter(search: Search, id: string): Visit {
  search.order.set(id, search.order.size);
  search.low.set(id, search.order.size - 1);
  search.stack.push(id);
  return { id, rest: [...search.blocking(id)] };
}

/** A visited task is on the stack as long as it has a `low`. */
function leave(search: Search, id: string, parent: string | undefined): void {
  const low = search.low.get(id);
  if (parent !== undefined) lower(search, parent, low);
  if (low !== search.order.get(id)) return;
  const part = search.stack.splice(search.stack.lastIndexOf(id));
  const isCycle = part.length > 1 || search.blocking(id).includes(id);
  for (const member of part) {
    search.low.delete(member);
    if (isCycle) search.found.add(member);
  }
}

function lower(search: Search, id: string, value: number | undefined): void {
  const low = search.low.get(id);
  if (low !== undefined && value !== undefined && value < low) search.low.set(id, value);
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string | null>): readonly string[] {
  const path: string[] = [];
  for (let at: string | null = end; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
  return path;
}
