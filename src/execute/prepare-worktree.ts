import { join } from 'node:path';
import type { StartAgent } from '../domain/effect.js';
import { baseOf } from '../domain/extensions.js';
import { slotOf } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import { commandEnvironment } from '../harness/agent-environment.js';
import type { Execution } from './execution.js';
import { linkTaskFile } from './link-task-file.js';
import { dropLoneLink } from './lone-link.js';

/** What getting a worktree ready takes. */
export type Preparation = Pick<
  Execution,
  | 'home'
  | 'daemonEnv'
  | 'files'
  | 'repositories'
  | 'poolOf'
  | 'setupLog'
  | 'taskFile'
  | 'tellStep'
  | 'whileWanted'
  | 'workspacePath'
>;

/** Binds a task's worktree, copies and sets up what it needs, and links TASK.md. */
export async function prepareWorktree(
  execution: Preparation,
  effect: StartAgent,
  {
    task,
    project,
    isFirst,
  }: { readonly task: TaskState; readonly project: Project; readonly isFirst: boolean },
): Promise<Result<void>> {
  const worktree = execution.workspacePath(effect.workspace);
  const place = {
    repository: project.path,
    worktree,
    defaultBranch: project.default_branch,
  };
  const target = execution.taskFile(task.fields.project, task.fields.id);
  const unfinished = effect.needsBinding
    ? success(true)
    : await isUnfinished(execution, place, target);
  if (!unfinished.ok) return unfinished;
  const isNew = unfinished.value;
  if (isNew) {
    const bound = await execution.repositories.bind({
      ...place,
      branch: task.fields.branch,
      base: baseOf(task.extensions),
      taskId: task.fields.id,
      isFirst,
    });
    if (!bound.ok) return bound;
    let hasSteps = false;
    const ready = await execution.whileWanted(effect.taskId, async (signal) =>
      execution.repositories.prepare({
        ...place,
        pool: execution.poolOf(task.fields.project),
        logFile: execution.setupLog(effect.workspace),
        env: setupEnvironment(execution, effect, project),
        onStep: (step) => {
          hasSteps = true;
          execution.tellStep(effect.taskId, step);
        },
        signal,
      }),
    );
    if (hasSteps) execution.tellStep(effect.taskId, null);
    if (!ready.ok) return ready;
  }
  const link = join(worktree, 'TASK.md');
  const state = execution.files.stat(link);
  // What an agent saved by rename is taken over by the supervisor, never written over.
  const isSaved = !isNew && state.ok && state.value.kind === 'file';
  return isSaved ? DONE : linkTaskFile(execution.files, link, target);
}

/**
 * Whether the worktree of a task that had one is gone, or was being made again when that was cut
 * off: TASK.md comes last, and nobody has worked there without it. Fails where something else is in
 * its place: no agent is let loose in that.
 */
async function isUnfinished(
  { files, repositories }: Preparation,
  { repository, worktree }: { readonly repository: string; readonly worktree: string },
  target: string,
): Promise<Result<boolean>> {
  const directory = files.stat(worktree);
  if (!directory.ok || directory.value.kind !== 'directory') return success(true);
  const dropped = dropLoneLink(files, worktree, target);
  if (!dropped.ok) return dropped;
  const place = await repositories.verifyWorktree({ repository, worktree });
  if (!place.ok) return place;
  if (place.value === 'absent') return success(true);
  const link = files.stat(join(worktree, 'TASK.md'));
  if (!link.ok || link.value.kind !== 'absent') return success(false);
  const facts = await repositories.inspectWorktree({ repository, worktree, depth: 'commits' });
  return success(facts.ok && facts.value?.branch === null && facts.value.unrest === null);
}

/** The launch's marks let the processes of a set-up be found that outlived the daemon. */
function setupEnvironment(
  execution: Preparation,
  effect: StartAgent,
  project: Project,
): Record<string, string> {
  return commandEnvironment(execution.daemonEnv, {
    ORANGE_HOME: execution.home,
    ORANGE_PROJECT: project.name,
    ORANGE_REPOSITORY: project.path,
    ORANGE_WORKSPACE: execution.workspacePath(effect.workspace),
    ORANGE_SLOT: String(slotOf(project.name, effect.workspace) ?? 0),
    ORANGE_TASK_ID: effect.taskId,
    ORANGE_LAUNCH_ID: effect.launchId,
  });
}
