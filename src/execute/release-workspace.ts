import { failpoint } from '../domain/failpoint.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { deleteBranch } from './delete-branch.js';
import type { Execution } from './execution.js';
import { dropLoneLink } from './lone-link.js';

type Release = Extract<Effect, { kind: 'release-workspace' }>;

/** Stores what would be lost, cleans the worktree, and removes a branch whose work is merged. */
export async function releaseWorkspace(
  execution: Execution,
  effect: Release,
): Promise<Observation> {
  failpoint('release.begun');
  if (effect.session !== null) {
    const inside = execution.workspacePath(effect.workspace);
    const ended = await execution.sessions.endSession(effect.taskId, effect.session, inside);
    if (!ended.ok) return releaseFailed(effect, ended.failure);
  }
  failpoint('release.session-ended');
  const task = execution.findTask(effect.taskId);
  if (task === null) return released(effect, []);
  const { project: name } = task.fields;
  const project = execution.findProject(name);
  // Whose worktree it is nobody can say now; it is looked at again when the project is back.
  if (project === null) return releaseFailed(effect, { kind: 'not-found', what: 'project', name });
  const worktree = execution.workspacePath(effect.workspace);
  const place = { repository: project.path, worktree, defaultBranch: project.default_branch };
  const dropped = dropLoneLink(execution.files, worktree, execution.taskFile(name, effect.taskId));
  if (!dropped.ok) return releaseFailed(effect, dropped.failure);
  const state = execution.files.stat(worktree);
  const salvageRefs: string[] = [];
  // Of one that is gone, git may still have work on record.
  if (state.ok && (state.value.kind === 'directory' || state.value.kind === 'absent')) {
    const { keepIgnored } = execution.poolOf(name);
    const freed = await execution.repositories.release({
      ...place,
      taskId: effect.taskId,
      keepIgnored,
    });
    if (!freed.ok) return releaseFailed(effect, freed.failure);
    if (freed.value.salvageRef !== null) salvageRefs.push(freed.value.salvageRef);
  }
  failpoint('release.cleaned');
  const forgotten = execution.launches.forget(effect.taskId);
  if (!forgotten.ok) return releaseFailed(effect, forgotten.failure);
  failpoint('release.launches-forgotten');
  await clearRefs(execution, effect, { task, repository: project.path });
  failpoint('release.before-free');
  return released(effect, salvageRefs);
}

/** What is over needs no branch once it is merged, and no note of what was judged. */
async function clearRefs(
  execution: Execution,
  { taskId, deleteBranch: hasMerged }: Release,
  { task, repository }: { readonly task: TaskState; readonly repository: string },
): Promise<void> {
  const { repositories, log } = execution;
  const { branch, status } = task.fields;
  if (hasMerged) await deleteBranch(execution, { taskId, branch });
  if (!isTerminal(status)) return;
  const dropped = await repositories.dropReviewed(repository, taskId);
  if (!dropped.ok) {
    const failure = dropped.failure.kind;
    log.write({ event: 'reviewed.kept', level: 'warn', task: taskId, failure });
  }
}

function released(effect: Release, salvageRefs: readonly string[]): Observation {
  const { taskId, workspace } = effect;
  return { kind: 'workspace-released', taskId, workspace, salvageRefs };
}

function releaseFailed(effect: Release, failure: Failure): Observation {
  const { taskId, workspace } = effect;
  const reason = describeFailure(failure).message;
  return { kind: 'release-failed', taskId, workspace, failure, reason };
}
