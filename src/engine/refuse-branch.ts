import type { Failure } from '../domain/failure.js';
import { isTerminal } from '../domain/status.js';
import type { World } from '../domain/world.js';

/** Why a branch cannot be a task's own: it is the base, or another live task has it or its folder. */
export function refuseBranch(
  world: World,
  project: string,
  task: { readonly id: string; readonly branch: string; readonly base: string | null },
): Failure | null {
  const { branch } = task;
  if (branch === (task.base ?? world.projects.get(project)?.default_branch)) {
    const rule = 'a task works on a branch of its own, not on the branch it starts from';
    return { kind: 'branch-invalid', branch, rule };
  }
  for (const { fields } of world.tasks.values()) {
    if (fields.project !== project || fields.id === task.id || isTerminal(fields.status)) continue;
    if (fields.branch === branch) {
      return { kind: 'branch-in-use', branch, where: `task ${project}/${branch}` };
    }
    if (fields.branch.startsWith(`${branch}/`) || branch.startsWith(`${fields.branch}/`)) {
      return { kind: 'branch-conflict', branch, with: fields.branch };
    }
  }
  return null;
}
