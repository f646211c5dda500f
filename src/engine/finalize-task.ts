import { NOTHING, type Decision } from '../domain/decision.js';
import type { Finalization } from '../domain/finalization.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { checkEvents } from './check-events.js';
import { decideUpdate, refuse, remember } from './update-task.js';

type Seen<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

/** `task finalize`: has the merge tried without merging. */
export function finalizeTask(task: TaskState, asked: Asked): Decision {
  const refusal = refuseAction(task, 'finalize', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  return decideUpdate(task, { runtime: { activity: 'finalizing' } }, [
    { kind: 'finalize', taskId: task.fields.id },
  ]);
}

export function settleFinalized(task: TaskState, seen: Seen<'finalized'>): Decision {
  if (task.activity !== 'finalizing') return NOTHING;
  const { finalization: finalized, checks } = seen;
  const events = [...checkEvents('finalize', checks), finalizedEvent(finalized)];
  return decideUpdate(task, { events, runtime: { activity: null, finalized } });
}

export function settleFinalizeFailed(task: TaskState, seen: Seen<'finalize-failed'>): Decision {
  if (task.activity !== 'finalizing') return NOTHING;
  return { ...remember(task, { activity: null }), failure: seen.failure };
}

function finalizedEvent(finalized: Finalization): EventDraft {
  return { type: 'task.finalized', ...finalized };
}
