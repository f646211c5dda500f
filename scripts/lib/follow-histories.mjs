import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { statusAfter } from './describe-event.mjs';

const POLL_MS = 200;

/**
 * Reads the tasks' histories as they grow and tells every event once, until each task has reached
 * `status` or cannot reach it any more, or the time is up. Gives each task's last status.
 */
export async function followHistories({
  home,
  project,
  tasks,
  status,
  deadlineMs,
  signal,
  onEvent,
}) {
  const seen = new Map(tasks.map(({ id }) => [id, 0]));
  const statuses = new Map(tasks.map(({ id }) => [id, 'pending']));
  const start = performance.now();
  while (performance.now() - start < deadlineMs) {
    for (const task of tasks) {
      const events = readHistory(join(home, 'tasks', project, task.id, 'history.jsonl'));
      for (const event of events.slice(seen.get(task.id))) {
        onEvent(task, event, performance.now() - start);
        statuses.set(task.id, statusAfter(event) ?? statuses.get(task.id));
      }
      seen.set(task.id, Math.max(events.length, seen.get(task.id)));
    }
    const now = [...statuses.values()];
    if (now.every((reached) => reached === status)) break;
    if (now.some((reached) => reached === 'stuck' || reached === 'cancelled')) break;
    await pause(POLL_MS, undefined, { signal });
  }
  return statuses;
}

// The last line counts only with its newline: it may be half written.
function readHistory(path) {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
