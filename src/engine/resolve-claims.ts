import type { Decision } from '../domain/decision.js';
import type { Moment } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';
import { handOver } from './hand-over.js';
import { judgeClaims } from './judge-claims.js';
import { makeMove } from './make-move.js';
import { updateTask } from './update-task.js';

/**
 * Deals with a file whose frontmatter or Context differs from the record. `status` is a request that
 * passes the table and the gates or is put back; what the writer does not own is put back; each
 * refusal leaves an event. While no agent is around, a hand edit of a user's field is the user's.
 */
export function resolveClaims(world: World, task: TaskState, moment: Moment): Decision {
  const { claims } = task;
  if (claims === null) return { changes: [], effects: [], failure: null, taskId: null };
  const { move, parts, kept, effects } = judgeClaims(world, task, claims, moment);
  if (move === null) {
    return {
      changes: [updateTask(task, { ...parts, events: [...parts.events, ...kept] })],
      effects,
      failure: null,
      taskId: task.fields.id,
    };
  }
  const order = {
    actor: 'agent',
    reason: '',
    before: parts.events,
    fields: parts.fields,
    sections: parts.sections,
  } as const;
  const decision =
    move === 'agent-review'
      ? handOver(world, task, order, moment)
      : makeMove(world, task, { ...order, to: move }, moment);
  return {
    ...decision,
    effects: [...decision.effects, ...effects],
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? {
            ...change,
            extensions: parts.extensions,
            // A move ends what waits for a person of the time before it.
            events: [...change.events, ...kept],
            runtime: { ...change.runtime, ...parts.runtime },
          }
        : change,
    ),
  };
}
