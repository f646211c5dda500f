import { NOTHING, type Decision } from '../domain/decision.js';
import { RISKS, type Finalization } from '../domain/finalization.js';
import type { EventDraft, HistoryEvent } from '../domain/history-event.js';
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

/** What a history says was found out; null when it says it in a way that nobody knows. */
export function readFinalization(event: HistoryEvent): Finalization | null {
  const { ready, action, head } = event;
  const risk = RISKS.find((each) => each === event['risk']);
  const isWhole =
    typeof ready === 'boolean' && typeof action === 'string' && typeof head === 'string';
  if (!isWhole || risk === undefined) return null;
  const count = (name: string): number => {
    const value = event[name];
    return typeof value === 'number' ? value : 0;
  };
  return {
    ready,
    risk,
    action,
    files: count('files'),
    lines: count('lines'),
    conflicts: count('conflicts'),
    conflicting: textsOf(event['conflicting']),
    behind: count('behind'),
    head,
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string')
    : [];
}
