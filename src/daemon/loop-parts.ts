import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { absorb } from '../engine/absorb.js';
import type { decide } from '../engine/decide.js';
import type { Clock, Log } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import type { Recorder } from './recorder.js';
import type { TaskStops } from './task-stops.js';

/** An observation on its way through the loop. */
export type Envelope = {
  readonly observation: Observation;
  readonly requestId: string | null;
  /** Who tells it again when it could not be dealt with. */
  readonly keeper: 'loop' | 'teller';
};

/** The rules by which the loop decides. */
export type Rules = { readonly absorb: typeof absorb; readonly decide: typeof decide };

export type LoopParts = {
  readonly world: LiveWorld;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: Pick<Paths, 'taskFile'>;
  execute(effect: Effect): Promise<Observation | null>;
  /** Why a move of an earlier daemon cannot be completed, and nothing else be done; else null. */
  stuckBecause(taskId: string): Failure | null;
  /** Reads a task's file before a decision needs it. */
  look(taskId: string, look: 'now' | 'final'): Observation | null;
  newId(): string;
  /** Called after the world has changed, once per burst of observations. */
  onSettled(): void;
  /** Tells the person who waits for a request what is being done. */
  onProgress(requestId: string, effect: Effect): void;
  onAnswered(requestId: string): void;
  /** Heeds requests that have to wait until what is under way for their task is over. */
  readonly stops: Pick<TaskStops, 'heed' | 'forget'>;
};

/** The task that something was seen of; null for a request and for what is about all tasks. */
export function observedTask(observation: Observation): string | null {
  return 'taskId' in observation ? observation.taskId : null;
}

/** The task that a request is about or would make; null for anything else. */
export function requestedTask(observation: Observation): string | null {
  if (observation.kind !== 'request') return null;
  return 'taskId' in observation.request ? observation.request.taskId : observation.newId;
}

/** What a task's file says now, before something is decided that depends on it. */
export function lookFirst(
  { world, look }: Pick<LoopParts, 'world' | 'look'>,
  observation: Observation,
): Observation | null {
  const isEnd = observation.kind === 'agent-ended';
  const taskId = isEnd ? observation.taskId : requestedTask(observation);
  if (taskId === null || !world.tasks.has(taskId)) return null;
  return look(taskId, isEnd ? 'final' : 'now');
}
