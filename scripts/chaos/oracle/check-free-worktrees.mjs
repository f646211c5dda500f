import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { violation } from './violation.mjs';

/**
 * F5, I4: what the pool calls available is fit for whoever comes next: on no branch, without anything
 * that git would tell of, without a task's file and without anybody's agent. What git ignores may stay.
 */
export async function checkFreeWorktrees({ home, git }, { pool }, agents) {
  const free = Object.entries(pool ?? {}).filter(([, { status }]) => status === 'available');
  const problems = [];
  for (const [name] of free) {
    const path = join(home, 'workspaces', name);
    // What is not there is said by the check of the pool.
    if (!isThere(join(path, '.git'))) continue;
    const wrong = [
      ...(await lookWithGit(git, path)),
      ...(isTaskFile(join(path, 'TASK.md')) ? ['has a TASK.md'] : []),
      ...agents.filter(({ cwd }) => isIn(path, cwd)).map(describeAgent),
    ];
    problems.push(...wrong.map((what) => violation('I4', `free ${name}`, what)));
  }
  return problems;
}

async function lookWithGit(git, path) {
  const status = ['status', '--porcelain', '--branch', '--untracked-files=all'];
  const shown = await git(path, '--no-optional-locks', ...status);
  const [branch = '', ...changes] = shown.split('\n').filter(Boolean);
  return [
    ...(branch === '## HEAD (no branch)' ? [] : [`is on a branch: ${branch}`]),
    ...(changes.length === 0 ? [] : [`is not clean: ${changes.join(', ')}`]),
  ];
}

function describeAgent({ taskId, role, pid, command }) {
  return `has the ${role} of ${taskId} in it (pid ${pid}, ${command})`;
}

function isIn(path, cwd) {
  return cwd === path || cwd?.startsWith(`${path}/`) === true;
}

// A folder of that name is nobody's task; a person may have made it there.
function isTaskFile(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

function isThere(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
