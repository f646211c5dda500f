import { basename } from 'node:path';
import type { Survey } from '../../doctor/survey.js';
import { describeFailure } from '../../domain/describe-failure.js';
import type { Failure } from '../../domain/failure.js';
import type { Finding } from '../../domain/finding.js';
import { isMachineFault } from '../../domain/is-machine-fault.js';
import { slotOf } from '../../domain/pool.js';
import type { Project } from '../../domain/project.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { SetAside } from '../../domain/set-aside.js';
import { settingsFor, takenWorkspaces } from '../../engine/world-queries.js';
import type { ReleaseRequest, Repositories } from '../../ports.js';
import { projectOf } from '../build-view.js';
import type { LiveWorld } from '../live-world.js';
import type { Done } from './done.js';

export type TreeParts = {
  readonly world: LiveWorld;
  readonly repositories: Pick<
    Repositories,
    'release' | 'rebuild' | 'ensureWorktree' | 'forgetVanished' | 'clearLocks'
  >;
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
  const before = world.quarantined.get(workspace) ?? BEING_CLEANED;
  world.quarantined.set(workspace, before);
  const freed = await freeOrRebuild(parts, {
    repository: project.path,
    worktree: path,
    defaultBranch: project.default_branch,
    taskId: 'unbound',
    keepIgnored: settingsFor(world, project.name).pool.keepIgnored,
  });
  if (!freed.ok) {
    world.quarantined.set(workspace, noteFailure(before, freed.failure));
    return freed;
  }
  world.quarantined.delete(workspace);
  world.worktrees.add(workspace);
  const { salvageRef, how } = freed.value;
  if (how === 'made anew') world.bare.add(workspace);
  return success({ message: `${how} ${workspace}${describeSaved(salvageRef)}` });
}

const BEING_CLEANED: SetAside = { reason: 'it is being cleaned', failures: 0 };

/** One that would not come clean is made anew. */
async function freeOrRebuild(
  { repositories }: TreeParts,
  request: ReleaseRequest,
): Promise<Result<{ readonly salvageRef: string | null; readonly how: 'freed' | 'made anew' }>> {
  const freed = await repositories.release(request);
  if (freed.ok) return success({ ...freed.value, how: 'freed' });
  if (isPassing(freed.failure)) return freed;
  const rebuilt = await repositories.rebuild(request);
  return rebuilt.ok ? success({ ...rebuilt.value, how: 'made anew' }) : rebuilt;
}

/** What is no fault of the worktree: it is waited out. */
function isPassing(failure: Failure): boolean {
  return failure.kind === 'worktree-occupied' || isMachineFault(failure);
}

function noteFailure({ failures }: SetAside, failure: Failure): SetAside {
  const reason = describeFailure(failure).message;
  return { reason, failures: isPassing(failure) ? failures : failures + 1 };
}

function describeSaved(salvageRef: string | null): string {
  return salvageRef === null ? '' : `, what was in it is ${salvageRef}`;
}

/** Makes an idle worktree again, or forgets one that the pool no longer has room for. */
export async function makeWorktree(parts: TreeParts, finding: Finding): Promise<Result<Done>> {
  const tree = findTree(parts.world, finding);
  if (!tree.ok) return tree;
  const { workspace, path, project } = tree.value;
  const slot = slotOf(project.name, workspace) ?? 0;
  if (slot > project.pool_size) {
    return forgetWorktree(parts, finding);
  }
  const made = await parts.repositories.ensureWorktree({
    repository: project.path,
    worktree: path,
    defaultBranch: project.default_branch,
  });
  if (!made.ok) return made;
  parts.world.quarantined.delete(workspace);
  parts.world.bare.add(workspace);
  return success({ message: `made ${workspace} again` });
}

/** Has git forget a worktree that is gone; what only git's record of it led to is kept. */
export async function forgetWorktree(parts: TreeParts, finding: Finding): Promise<Result<Done>> {
  const tree = findTree(parts.world, finding);
  if (!tree.ok) return tree;
  const { workspace, path, project } = tree.value;
  const forgotten = await parts.repositories.forgetVanished({
    repository: project.path,
    worktree: path,
    taskId: 'unbound',
  });
  if (!forgotten.ok) return forgotten;
  parts.world.worktrees.delete(workspace);
  parts.world.quarantined.delete(workspace);
  const { salvageRef } = forgotten.value;
  return success({ message: `forgot ${workspace}${describeSaved(salvageRef)}` });
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
