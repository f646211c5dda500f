import { join } from 'node:path';
import { isFinal } from './check-history.mjs';

/**
 * I4: free + bound + set aside = what is on disk = what git knows, and each bound worktree has the
 * one task that says so.
 */
export async function checkPool(place, { tasks, pool, workspaces }) {
  const problems = [];
  const rows = pool ?? {};
  const bound = tasks.filter(({ fields }) => fields.workspace != null);
  for (const { id, fields } of bound) {
    const row = rows[fields.workspace];
    if (row?.status !== 'bound' || row.task_id !== id) {
      problems.push(`I4 ${id}: has ${fields.workspace}, the pool says ${JSON.stringify(row)}`);
    }
    if (isFinal(fields.status))
      problems.push(`I4 ${id}: is ${fields.status} and has ${fields.workspace}`);
  }
  for (const [name, row] of Object.entries(rows)) {
    const holders = bound.filter(({ fields }) => fields.workspace === name);
    if (row.status === 'bound' && holders.length !== 1) {
      problems.push(`I4 ${name}: is bound to ${row.task_id}, and ${holders.length} tasks say so`);
    }
    if (!workspaces.includes(name)) problems.push(`I4 ${name}: is in the pool, but not on disk`);
  }
  const known = await listGitWorktrees(place);
  const onDisk = workspaces.map((name) => join(place.home, 'workspaces', name));
  for (const path of onDisk) {
    if (!known.includes(path)) problems.push(`I4 ${path}: is on disk, but git does not know it`);
  }
  for (const path of known) {
    if (!onDisk.includes(path)) problems.push(`I4 ${path}: is known to git, but not on disk`);
  }
  const aside = workspaces.filter((name) => rows[name] === undefined);
  return { problems, aside };
}

async function listGitWorktrees({ home, repository, git }) {
  const listed = await git(repository, 'worktree', 'list', '--porcelain');
  return listed
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .filter((path) => path.startsWith(`${join(home, 'workspaces')}/`));
}
