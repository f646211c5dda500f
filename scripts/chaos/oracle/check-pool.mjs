import { join } from 'node:path';
import { isFinal } from './check-history.mjs';
import { violation } from './violation.mjs';

/**
 * I4: free + bound + set aside = what is on disk = what git knows, each bound worktree has the one
 * task that says so, and nowhere else is a worktree of orange's, but what somebody had restored.
 */
export async function checkPool(place, { tasks, pool, workspaces }) {
  const rows = pool ?? {};
  const bound = tasks.filter(({ fields }) => fields.workspace != null);
  const { pooled: known, astray } = await listGitWorktrees(place);
  return {
    problems: [
      ...bound.flatMap((task) => checkHolder(task, rows)),
      ...Object.entries(rows).flatMap((row) => checkRow(row, bound)),
      ...Object.keys(rows)
        .filter((name) => !workspaces.includes(name))
        .map((name) => violation('I4', name, 'is in the pool, but not on disk')),
      ...checkDisk(
        known,
        workspaces.map((name) => join(place.home, 'workspaces', name)),
      ),
      ...astray.map((path) => violation('I4', path, 'is a worktree that was left')),
    ],
    aside: workspaces.filter((name) => rows[name] === undefined),
  };
}

function checkHolder({ id, fields: { workspace, status } }, rows) {
  const row = rows[workspace];
  const isAgreed = row?.status === 'bound' && row.task_id === id;
  return [
    ...(isAgreed
      ? []
      : [violation('I4', id, `has ${workspace}, the pool says ${JSON.stringify(row)}`)]),
    ...(isFinal(status) ? [violation('I4', id, `is ${status} and has ${workspace}`)] : []),
  ];
}

function checkRow([name, row], bound) {
  const holders = bound.filter(({ fields }) => fields.workspace === name);
  if (holders.length === (row.status === 'bound' ? 1 : 0)) return [];
  const what = `is ${row.status} (${row.task_id}), and ${holders.length} tasks have it`;
  return [violation('I4', name, what)];
}

function checkDisk(known, onDisk) {
  return [
    ...onDisk
      .filter((path) => !known.includes(path))
      .map((path) => violation('I4', path, 'is on disk, but git does not know it')),
    ...known
      .filter((path) => !onDisk.includes(path))
      .map((path) => violation('I4', path, 'is known to git, but not on disk')),
  ];
}

// What git still knows of a directory that a person took away stays until its place is wanted: it
// may have been moved, and git can be told so.
async function listGitWorktrees({ home, repository, git }) {
  const listed = await git(repository, 'worktree', 'list', '--porcelain');
  const worktrees = listed.split('\n\n').flatMap((entry) => {
    const path = entry.match(/^worktree (.*)$/m)?.[1];
    return path === undefined ? [] : [{ path, isGone: /^prunable/m.test(entry) }];
  });
  const isIn = (path, name) => path.startsWith(`${join(home, name)}/`);
  return {
    pooled: worktrees
      .filter(({ path, isGone }) => isIn(path, 'workspaces') && !isGone)
      .map(({ path }) => path),
    astray: worktrees
      .map(({ path }) => path)
      .filter((path) => path.startsWith(`${home}/`))
      .filter((path) => !isIn(path, 'workspaces') && !isIn(path, 'restored')),
  };
}
