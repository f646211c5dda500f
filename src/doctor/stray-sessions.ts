import type { Finding } from '../domain/finding.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { isRunning, isWithheld, makeFinding, nameOf } from './make-finding.js';
import type { Survey, SurveyedSession } from './survey.js';

/** Sessions whose task is over or unknown, or that hold nothing of the task's agents any more. */
export function findStraySessions(survey: Survey): readonly Finding[] {
  const { terminal } = survey;
  if (terminal.kind !== 'listed') return [];
  return terminal.sessions.flatMap((session): readonly Finding[] => {
    // Without a tag it is somebody else's.
    if (session.taskId === null) return [];
    const task = survey.world.tasks.get(session.taskId);
    // The task is there, but cannot be read.
    if (isWithheld(survey.world, session.taskId)) return [];
    if (task === undefined) return [withoutTask(survey, session, session.taskId)];
    return task.activity === null ? judge(session, task) : [];
  });
}

function withoutTask(survey: Survey, { session }: SurveyedSession, taskId: string): Finding {
  const isOurs =
    survey.launchFolders.has(taskId) ||
    (survey.processes ?? []).some((process) => process.taskId === taskId);
  return makeFinding({
    class: 'session-without-task',
    message: `session ${session} belongs to task ${taskId}, which is not known`,
    remedy: isOurs
      ? 'Look at it, then end it: orange doctor --fix session-without-task'
      : 'It was not started from this home: whoever did can end it.',
    fixable: isOurs ? 'with-fix' : 'by-hand',
    task_id: taskId,
    session,
  });
}

function judge({ session }: SurveyedSession, task: TaskState): readonly Finding[] {
  const name = nameOf(task.fields);
  if (isTerminal(task.fields.status)) {
    return [
      makeFinding({
        class: 'zombie-session',
        message: `session ${session} is still there although ${name} is over`,
        remedy: 'The daemon ends it by itself; at once: orange doctor --fix zombie-session',
        fixable: 'safe',
        task_id: task.fields.id,
        session,
      }),
    ];
  }
  if ([task.worker, task.reviewer].some(isRunning)) return [];
  return [
    makeFinding({
      class: 'zombie-session',
      message: `session ${session} of ${name} has no agent any more`,
      remedy: 'Look at its windows, then end it: orange doctor --fix zombie-session',
      fixable: 'with-fix',
      task_id: task.fields.id,
      session,
    }),
  ];
}
