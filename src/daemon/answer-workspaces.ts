import { failpoint } from '../domain/failpoint.js';
import { slotOf, workspaceName } from '../domain/pool.js';
import type { WorkspaceRequest } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { takenWorkspaces } from '../engine/world-queries.js';
import type { Files, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { projectOf } from './build-view.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly repositories: Repositories;
};

/** Makes all worktrees of a pool at once, or removes idle ones beyond its size. */
export async function answerWorkspaces(
  parts: Parts,
  request: WorkspaceRequest,
): Promise<Result<void>> {
  if (request.kind === 'workspace.init') return fillPool(parts, request.project);
  const names = request.project === null ? [...parts.world.projects.keys()] : [request.project];
  for (const name of names) {
    const trimmed = await trimPool(parts, name);
    if (!trimmed.ok) return trimmed;
  }
  return success(undefined);
}

async function fillPool(parts: Parts, name: string): Promise<Result<void>> {
  const { world, paths, repositories } = parts;
  const project = world.projects.get(name);
  if (project === undefined) return failed({ kind: 'not-found', what: 'project', name });
  for (let slot = 1; slot <= project.pool_size; slot += 1) {
    const workspace = workspaceName(name, slot);
    if (takenWorkspaces(world, name).has(workspace)) continue;
    const made = await repositories.ensureWorktree({
      repository: project.path,
      worktree: paths.workspace(workspace),
      defaultBranch: project.default_branch,
    });
    if (!made.ok) return made;
    failpoint('pool.worktree-made');
    world.worktrees.add(workspace);
    world.quarantined.delete(workspace);
  }
  return success(undefined);
}

async function trimPool(parts: Parts, name: string): Promise<Result<void>> {
  const { world, paths, repositories } = parts;
  const project = world.projects.get(name);
  if (project === undefined) return failed({ kind: 'not-found', what: 'project', name });
  const taken = takenWorkspaces(world, name);
  for (const workspace of Array.from(world.worktrees)) {
    const slot = slotOf(name, workspace);
    if (slot === null || slot <= project.pool_size || taken.has(workspace)) continue;
    failpoint('pool.before-worktree-goes');
    const removed = await repositories.removeWorktree(project.path, paths.workspace(workspace));
    if (!removed.ok) return removed;
    world.worktrees.delete(workspace);
  }
  return success(undefined);
}

/**
 * Looks at the worktrees on disk that no task holds. One that .pool.json calls available is believed,
 * since binding verifies it again; any other is cleaned (with its work salvaged) or quarantined.
 */
export async function adoptWorktrees(parts: Parts, available: ReadonlySet<string>): Promise<void> {
  const { world, files, paths, repositories } = parts;
  const listed = files.list(paths.workspacesDir);
  for (const workspace of listed.ok ? listed.value : []) {
    const name = projectOf(world, workspace);
    const project = name === null ? undefined : world.projects.get(name);
    if (name === null || project === undefined) continue;
    world.worktrees.add(workspace);
    if (takenWorkspaces(world, name).has(workspace) || available.has(workspace)) continue;
    // Until it has been looked at nobody gets it.
    world.quarantined.add(workspace);
    const freed = await repositories.release({
      repository: project.path,
      worktree: paths.workspace(workspace),
      defaultBranch: project.default_branch,
      taskId: 'unbound',
    });
    if (freed.ok) world.quarantined.delete(workspace);
  }
}
