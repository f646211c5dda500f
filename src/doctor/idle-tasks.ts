import type { Finding } from '../domain/finding.js';
import { neededRole } from '../domain/session.js';
import type { TaskState } from '../domain/world.js';
import { makeFinding, nameOf } from './make-finding.js';
import type { Survey } from './survey.js';

/** Tasks that need an agent, have none, and will get none unless somebody does something. */
export function findIdleTasks(survey: Survey): readonly Finding[] {
  return [...survey.world.tasks.values()].filter(isForgotten).map((task) => {
    const { id, status } = task.fields;
    return makeFinding({
      class: 'task-without-session',
      message: `${nameOf(task.fields)} is ${status} and no agent works on it`,
      remedy: survey.isDaemon
        ? `Start it again: orange task respawn ${id}, or orange doctor --fix task-without-session`
        : 'The daemon sees to it: orange daemon start',
      fixable: survey.isDaemon ? 'with-fix' : 'safe',
      task_id: id,
    });
  });
}

function isForgotten(task: TaskState): boolean {
  const role = neededRole(task.fields.status);
  if (role === null) return false;
  const agent = task[role];
  if (agent.kind === 'live' || agent.kind === 'starting') return false;
  const isBusy = task.activity !== null || task.claims !== null || task.problems.length > 0;
  const isComing =
    task.respawnAtMs !== null || task.startTrouble !== null || task.fields.workspace === null;
  return !isBusy && !isComing;
}
