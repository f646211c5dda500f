import { basename } from 'node:path';
import type { Survey } from '../../doctor/survey.js';
import type { Finding } from '../../domain/finding.js';
import { slotOf } from '../../domain/pool.js';
import type { Project } from '../../domain/project.js';
import { failed, success, type Result } from '../../domain/result.js';
import { takenWorkspaces } from '../../engine/world-queries.js';
import type { Repositories } from '../../ports.js';
import { projectOf } from '../build-view.js';
import type { LiveWorld } from '../live-world.js';
import type { Done } from './done.js';

export type TreeParts = {
  readonly world: LiveWorld;
  readonly repositories: Pick<Repositories, 'release' | 'ensureWorktree' | 'clearLocks'>;
};

type Tree = { readonly workspace: string; readonly path: string; readonly project: Project };

/** Saves what is in a worktree that no task has, then makes it ready for the next one. */
export async function freeWorktree(
  parts: TreeParts,
  finding: Finding,
  survey: Survey,
): Promise<Result<Done>> {
  const tree = findTree(parts.world, finding);
  if (!tree.ok) return tree;
  const { workspace, path, project } = tree.value;
  const { world } = parts;
  if (takenWorkspaces(world, project.name).has(workspace)) {
    return failed({ kind: 'worktree-unusable', workspace: path, reason: 'a task has it now' });
  }
  const inside = (survey.processes ?? []).find((each) => each.workspace === path);
  if (inside !== undefined) {
    const reason = `process ${inside.pid} still works in it`;
    return failed({ kind: 'worktree-unusable', workspace: path, reason });
  }
  // Nobody is given it while it is being cleaned.
  world.quarantined.add(workspace);
  const freed = await parts.repositories.release({
    repository: project.path,
    worktree: path,
    defaultBranch: project.default_branch,
    taskId: 'unbound',
  });
  if (!freed.ok) return freed;
  world.quarantined.delete(workspace);
  world.worktrees.add(workspace);
  const { salvageRef } = freed.value;
  const saved = salvageRef === null ? '' : `, what was in it is ${salvageRef}`;
  return success({ message: `freed ${workspace}${saved}` });
}

/** Makes an idle worktree again, or forgets one that the pool no longer has room for. */
export async function makeWorktree(parts: TreeParts, finding: Finding): Promise<Result<Done>> {
  const tree = findTree(parts.world, finding);
  if (!tree.ok) return tree;
  const { workspace, path, project } = tree.value;
  const slot = slotOf(project.name, workspace) ?? 0;
  if (slot > project.pool_size) {
    parts.world.worktrees.delete(workspace);
    return success({ message: `forgot ${workspace}` });
  }
  const made = await parts.repositories.ensureWorktree({
    repository: project.path,
    worktree: path,
    defaultBranch: project.default_branch,
  });
  return made.ok ? success({ message: `made ${workspace} again` }) : made;
}

export async function clearLocks(parts: TreeParts, finding: Finding): Promise<Result<Done>> {
  const tree = findTree(parts.world, finding);
  if (!tree.ok) return tree;
  const { workspace, path, project } = tree.value;
  const cleared = await parts.repositories.clearLocks(project.path, path);
  return cleared.ok ? success({ message: `removed a stale lock of git in ${workspace}` }) : cleared;
}

function findTree(world: LiveWorld, finding: Finding): Result<Tree> {
  const path = finding.path ?? '';
  const workspace = basename(path);
  const owner = projectOf(world, workspace);
  const project = owner === null ? undefined : world.projects.get(owner);
  if (project !== undefined) return success({ workspace, path, project });
  return failed({ kind: 'not-found', what: 'project', name: workspace });
}
