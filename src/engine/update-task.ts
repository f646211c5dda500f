import type { Change, Decision, RuntimeEdit } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { TaskState } from '../domain/world.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;

/** An update of one task with everything but the named parts left as it is. */
export function updateTask(
  task: TaskState,
  parts: Partial<Omit<UpdateTask, 'kind' | 'taskId'>>,
): UpdateTask {
  return {
    kind: 'update-task',
    taskId: task.fields.id,
    fields: {},
    extensions: {},
    sections: [],
    transcripts: [],
    events: [],
    runtime: {},
    ...parts,
  };
}

export function decideUpdate(
  task: TaskState,
  parts: Partial<Omit<UpdateTask, 'kind' | 'taskId'>>,
  effects: readonly Effect[] = [],
): Decision {
  return {
    changes: [updateTask(task, parts)],
    effects,
    failure: null,
    taskId: task.fields.id,
  };
}

/** Something learnt that is kept in memory only. */
export function remember(task: TaskState, runtime: RuntimeEdit): Decision {
  return decideUpdate(task, { runtime });
}

export function refuse(failure: Failure, taskId: string | null = null): Decision {
  return { changes: [], effects: [], failure, taskId };
}
