import { movesOf } from './check-history.mjs';
import { violation } from './violation.mjs';

/** I1: what a client was told is in the history: answers anywhere, what was watched in its order. */
export function checkAcknowledged(ledger, tasks) {
  const ids = new Set([...ledger.seen.keys(), ...ledger.answered.keys()]);
  return [...ids].flatMap((id) => {
    const task = tasks.find((each) => each.id === id);
    if (ledger.mayBeDeleted.has(id)) {
      const isBack = task !== undefined && ledger.deleted.has(id);
      return isBack ? [violation('I1', id, 'its deletion was acknowledged, but it is there')] : [];
    }
    if (task === undefined) return [violation('I1', id, 'was acknowledged and is gone')];
    const way = ['pending', ...movesOf(task.events).map(({ to }) => to)];
    const seen = ledger.seen.get(id) ?? [];
    const lost = [
      ...[...(ledger.answered.get(id) ?? [])].filter((status) => !way.includes(status)),
      ...firstUnmet(seen, way),
    ];
    const told = `seen: ${seen.join(' ')}; the history has: ${way.join(' ')}`;
    return lost.map((status) =>
      violation('I1', id, `${status} was acknowledged, and is not there; ${told}`),
    );
  });
}

/**
 * I1: the summary is one that was asked for, and no acknowledged one was asked for after that was over.
 * One whose answer was cut off, or that was refused in the middle of a fault, may have come to be.
 */
export function checkSummaries(ledger, tasks) {
  return tasks.flatMap(({ id, fields: { summary } }) => {
    const given = ledger.summaries.get(id) ?? [];
    if (summary === undefined || !given.some(({ isLast }) => isLast)) return [];
    const standing = given.filter(
      ({ endedMs }) => !given.some((later) => later.isLast && later.sentMs > endedMs),
    );
    if (standing.some(({ text }) => text === summary)) return [];
    const wanted = standing.map(({ text }) => JSON.stringify(text)).join(' or ');
    const what = `its summary is ${JSON.stringify(summary)}, acknowledged was ${wanted}`;
    return [violation('I1', `${id} summary`, what)];
  });
}

/** The first of `wanted` that does not come in its turn, if any. */
function firstUnmet(wanted, way) {
  let from = 0;
  for (const status of wanted) {
    const at = way.indexOf(status, from);
    if (at === -1) return [status];
    from = at;
  }
  return [];
}
