import { describeFailure } from '../domain/describe-failure.js';
import { failpoint } from '../domain/failpoint.js';
import { isHindered } from '../domain/is-machine-fault.js';
import { slotOf } from '../domain/pool.js';
import type { WorkspaceRequest } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { settingsFor, takenWorkspaces } from '../engine/world-queries.js';
import type { Files, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { projectOf } from './build-view.js';
import type { LiveWorld } from './live-world.js';
import type { PoolFiller } from './pool-filler.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly repositories: Repositories;
};

/** Makes all worktrees of a pool at once, or removes idle ones beyond its size. */
export async function answerWorkspaces(
  parts: Parts & { readonly filler: PoolFiller },
  request: WorkspaceRequest,
  onStep: (step: string) => void,
): Promise<Result<void>> {
  if (request.kind === 'workspace.init') {
    const { project: name } = request;
    const project = parts.world.projects.get(name);
    if (project === undefined) return failed({ kind: 'not-found', what: 'project', name });
    return parts.filler.fill(project, onStep);
  }
  const names = request.project === null ? [...parts.world.projects.keys()] : [request.project];
  let outcome: Result<void> = success(undefined);
  for (const name of names) {
    const trimmed = await trimPool(parts, name, onStep);
    if (!trimmed.ok) outcome = trimmed;
  }
  return outcome;
}

/** One that cannot go does not keep the others. */
async function trimPool(
  parts: Parts,
  name: string,
  onStep: (step: string) => void,
): Promise<Result<void>> {
  const { world, paths, repositories } = parts;
  const project = world.projects.get(name);
  if (project === undefined) return failed({ kind: 'not-found', what: 'project', name });
  let outcome: Result<void> = success(undefined);
  for (const workspace of Array.from(world.worktrees)) {
    const slot = slotOf(name, workspace);
    if (slot === null || slot <= project.pool_size) continue;
    if (takenWorkspaces(world, name).has(workspace)) continue;
    failpoint('pool.before-worktree-goes');
    onStep(`dropping ${workspace}`);
    const removed = await repositories.removeWorktree(project.path, paths.workspace(workspace));
    if (removed.ok) world.worktrees.delete(workspace);
    else outcome = removed;
  }
  return outcome;
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
    world.quarantined.set(workspace, { reason: 'nobody has looked at it yet', failures: 0 });
    const freed = await repositories.release({
      repository: project.path,
      worktree: paths.workspace(workspace),
      defaultBranch: project.default_branch,
      taskId: 'unbound',
      keepIgnored: settingsFor(world, name).pool.keepIgnored,
    });
    if (freed.ok) world.quarantined.delete(workspace);
    else {
      const { failure } = freed;
      const reason = describeFailure(failure).message;
      world.quarantined.set(workspace, { reason, failures: 0, isHindered: isHindered(failure) });
    }
  }
}
