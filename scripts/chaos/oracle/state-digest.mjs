import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listAgents } from './check-processes.mjs';
import { listTasks, outboxFiles, readText } from './read-home.mjs';

/** What changes while orange is at work, cheap to look at: to see when it has come to rest. */
export function glance({ home }) {
  const stamps = listTasks(home).flatMap(({ project, id }) =>
    ['TASK.md', 'history.jsonl'].map((name) => stampOf(join(home, 'tasks', project, id, name))),
  );
  const outbox = outboxFiles(home).map((path) => basename(path));
  const pool = stampOf(join(home, 'workspaces', '.pool.json'));
  return { outbox, text: [...stamps, ...outbox, pool].join('\n') };
}

/** Everything that a second pass must not change (I10), as named texts. */
export async function digest({ home, repository, git }) {
  const tasks = listTasks(home).flatMap(({ project, id }) =>
    ['TASK.md', 'history.jsonl'].map((name) => {
      const path = join(home, 'tasks', project, id, name);
      return [path, readText(path) ?? ''];
    }),
  );
  const marks = listAgents(home).map(({ taskId, role, launch }) => `${taskId} ${role} ${launch}`);
  const launches = [...new Set(marks)].toSorted((one, other) => (one < other ? -1 : 1));
  return Object.fromEntries([
    ...tasks,
    ['pool', readText(join(home, 'workspaces', '.pool.json')) ?? ''],
    ['projects', readText(join(home, 'projects.json')) ?? ''],
    ['outbox', outboxFiles(home).join(' ')],
    ['agents', launches.join('\n')],
    ['refs', await git(repository, 'for-each-ref')],
    ['worktrees', await git(repository, 'worktree', 'list', '--porcelain')],
  ]);
}

/** What differs between two digests, by the part that it is in. */
export function differences(before, after) {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => before[key] !== after[key])
    .map((key) => ({ part: key, text: `${key}: was\n${before[key]}\nis\n${after[key]}` }));
}

function stampOf(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? `${path} -` : `${path} ${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}
