import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const LIMIT_MS = 120_000;

// The ends a person can choose for work that waits for them, in turns.
const ENDS = [
  {
    how: 'merged',
    request: { kind: 'task.merge', strategy: null, push: null, message: null },
  },
  { how: 'resolved', request: { kind: 'task.update', status: 'done' } },
  { how: 'cancelled', request: { kind: 'task.cancel', reason: 'soaked enough' } },
];

/**
 * The person of a soak: brings every task that has come to `reviewing` to an end, enters it in its
 * ledger, and puts a new task in its place, so that as many are at work as before. `ids` grows.
 */
export function endTasks(place, ids) {
  const [dealtWith, problems, underWay] = [new Set(), [], new Set()];
  let isOver = false;
  const end = async (id) => {
    const { how, request } = ENDS[dealtWith.size % ENDS.length];
    dealtWith.add(id);
    const answer = await place.daemon.client.submit({ ...request, taskId: id }, LIMIT_MS);
    if (answer.result === undefined) {
      problems.push(`${id} is not ${how}: ${JSON.stringify(answer)}`);
      return;
    }
    appendFileSync(join(place.root, 'said', `${id}.ledger`), `end ${how}\n`);
    if (!isOver) ids.push(...(await place.createTasks(1)));
  };
  place.daemon.client.subscribe(({ tasks = [] }) => {
    for (const { fields } of tasks) {
      if (isOver || fields.status !== 'reviewing' || dealtWith.has(fields.id)) continue;
      const work = end(fields.id)
        .catch((error) => problems.push(`${fields.id}: ${error.message}`))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    }
  });
  return {
    problems,
    count: () => dealtWith.size,
    /** No end is begun any more; waits for those that were. */
    stop: async () => {
      isOver = true;
      await Promise.all(underWay);
    },
  };
}
