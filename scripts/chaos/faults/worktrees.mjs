import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { awaitState } from '../wait.mjs';

const group = 'worktrees in the hands of the user';

const isSaved = ({ fields }) => !['messy', 'crasher', 'hanger'].includes(fields.harness);

/** What somebody does to the worktree of a task whose work is committed, and how it goes on. */
function handled(name, meddle) {
  return {
    name: `worktree ${name}`,
    group,
    maySetAside: true,
    strike: async (course) => {
      const taskId = await course.taskIn(['reviewing'], {}, isSaved);
      await course.settle();
      const task = course.tasks.find(({ id }) => id === taskId);
      if (task === undefined || task.fields.workspace === null) return false;
      const path = join(course.place.home, 'workspaces', task.fields.workspace);
      const wasDone = await meddle(course, path);
      await course.random.pick([
        () => course.ask({ kind: 'task.cancel', taskId, reason: null }),
        () => course.ask({ kind: 'task.respawn', taskId }),
        () => course.ask({ kind: 'task.merge', taskId, strategy: null, push: null, message: null }),
      ])();
      await course.ask({ kind: 'task.cancel', taskId, reason: null });
      return wasDone;
    },
  };
}

export const WORKTREE_FAULTS = [
  handled(
    'deleted',
    async (_course, path) => (await awaitState(() => isRemoved(path), 5000, 1)) === true,
  ),
  handled('moved away', async (course, path) => {
    renameSync(path, join(course.place.root, `moved-${course.random.below(1e9)}`));
    return true;
  }),
  handled('switched to another branch', async (course, path) => {
    const name = `user-branch-${course.random.below(1e9)}`;
    await course.place.git(path, 'switch', '--quiet', '-c', name);
    return true;
  }),
  handled('put in the middle of a merge', async (course, path) => {
    const { git } = course.place;
    // A commit that the branch does not have, and that no ref names.
    const tree = (await git(path, 'rev-parse', 'user/own^{tree}')).trim();
    const other = await git(path, 'commit-tree', '-p', 'user/own', '-m', 'Theirs', tree);
    await git(path, 'merge', '--quiet', '--no-ff', '--no-commit', other.trim());
    const mergeHead = await git(
      path,
      'rev-parse',
      '--path-format=absolute',
      '--git-path',
      'MERGE_HEAD',
    );
    return existsSync(mergeHead.trim());
  }),
];

// The daemon may put the link to TASK.md back while the rest is being removed.
function isRemoved(path) {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY') return false;
    throw error;
  }
}
