import { failpoint } from '../domain/failpoint.js';
import type { Decision } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import { InternalError } from '../domain/failure.js';
import type { Moment, Observation } from '../domain/observation.js';
import type { Actor, TaskRequest } from '../domain/request.js';
import type { Result } from '../domain/result.js';
import { absorb } from '../engine/absorb.js';
import { decide } from '../engine/decide.js';
import type { Clock, Log } from '../ports.js';
import { attemptEffect } from './attempt-effect.js';
import { EffectQueue } from './effect-queue.js';
import { journalDecision, journalFailure } from './journal.js';
import type { LiveWorld } from './live-world.js';
import type { Owed } from './owed.js';
import type { Recorder } from './recorder.js';
import { RequestBook } from './request-book.js';
import { UnrecordedBook } from './unrecorded.js';

const MAX_FOLLOW_UPS = 50;

type Envelope = { readonly observation: Observation; readonly requestId: string | null };

export type LoopParts = {
  readonly world: LiveWorld;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Log;
  execute(effect: Effect): Promise<Observation | null>;
  /** Reads a task's file before a decision needs it. */
  look(taskId: string, look: 'now' | 'final'): Observation | null;
  newId(): string;
  /** Called after the world has changed, once per burst of observations. */
  onSettled(): void;
  /** Tells the person who waits for a request what is being done. */
  onProgress(requestId: string, effect: Effect): void;
  onAnswered(requestId: string): void;
};

/**
 * The one loop: an observation comes in, a decision comes out, it is recorded, then its effects are
 * carried out, and what comes of them are observations again. Nothing else changes a task.
 */
export class Loop {
  readonly #parts: LoopParts;
  readonly #queue: Envelope[] = [];
  readonly #requests = new RequestBook();
  readonly #effects = new EffectQueue();
  readonly #unrecorded = new UnrecordedBook();
  readonly #deferred = new Map<string, Envelope[]>();
  #isDraining = false;
  #isTogether = false;
  #requestCount = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Takes an observation from outside. */
  see(observation: Observation): void {
    this.#submit({ observation, requestId: null });
  }

  /** Takes an observation and tells whether what came of it is recorded. */
  take(observation: Observation): boolean {
    this.see(observation);
    return !this.#unrecorded.wasRefused(observation);
  }

  /** Takes whatever `work` sees as one burst: views and watches follow once, at its end. */
  together(work: () => void): void {
    this.#isTogether = true;
    try {
      work();
    } finally {
      this.#isTogether = false;
    }
    this.#parts.onSettled();
  }

  /** Takes a wish; resolves with the task it is about when all its effects are done. */
  async ask(
    request: TaskRequest,
    actor: Actor,
    onId?: (id: string) => void,
  ): Promise<Result<string | null>> {
    this.#requestCount += 1;
    const requestId = `r${this.#requestCount}`;
    onId?.(requestId);
    const kind =
      request.kind === 'task.create' || request.kind === 'task.reopen' ? 'creation' : 'change';
    const answer = this.#requests.follow(requestId, kind);
    const newId = this.#parts.newId();
    this.#submit({ observation: { kind: 'request', request, actor, newId }, requestId });
    return answer.finally(() => this.#parts.onAnswered(requestId));
  }

  /** Carries out effects that an earlier daemon still owed. */
  resume(taskId: string, owed: Owed): void {
    if (owed.effects.length > 0) this.#carryOut(taskId, owed, null);
    else this.#settle(owed.seq);
  }

  /** Writes what could not be written before, e.g. because the disk was full. */
  retryLate(): void {
    for (const owed of this.#parts.recorder.retryLate()) {
      const taskId = owed.effects[0]?.taskId;
      if (taskId !== undefined) this.#carryOut(taskId, owed, null);
      else this.#settle(owed.seq);
    }
    const { results, tasks } = this.#unrecorded.take();
    for (const { seen, rest, taskId } of results) {
      const again = { ...seen };
      this.see(again);
      if (this.#unrecorded.wasRefused(again)) {
        this.#unrecorded.keep({ seen: again, rest, taskId });
      } else if (rest.effects.length > 0) this.#carryOut(taskId, rest, null);
      else this.#settle(rest.seq);
    }
    for (const taskId of tasks) this.see({ kind: 'reconsider', taskId });
    if (tasks.length > 0) this.see({ kind: 'schedule' });
  }

  /** Whether something is being carried out for a task. */
  isBusyWith(taskId: string): boolean {
    return this.#effects.has(taskId);
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#effects.size === 0;
  }

  async drained(): Promise<void> {
    await this.#effects.drained();
  }

  #submit(envelope: Envelope): void {
    this.#requests.begin(envelope.requestId);
    this.#queue.push(envelope);
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#handle(next);
      }
    } finally {
      this.#isDraining = false;
    }
    if (!this.#isTogether) this.#parts.onSettled();
  }

  #handle(envelope: Envelope): void {
    const { observation, requestId } = envelope;
    if (this.#mustWait(envelope)) return;
    this.#lookFirst(observation);
    const isDone = this.#step(observation, requestId);
    if (isDone) this.#followUp(observation, requestId);
    const taskId = 'taskId' in observation ? observation.taskId : null;
    if (taskId !== null) this.#wakeDeferred(taskId);
    this.#requests.end(requestId);
  }

  /** One turn: absorb, decide, record, carry out. True when something came of it. */
  #step(observation: Observation, askedBy: string | null): boolean {
    this.#absorb(observation);
    const moment = this.#now();
    const decision = decide(this.#parts.world, observation, moment);
    const requestId = this.#requests.ownerOf(askedBy, decision.taskId);
    const isNothing = decision.changes.length === 0 && decision.effects.length === 0;
    if (!isNothing || decision.failure !== null)
      journalDecision(this.#parts.log, observation, decision);
    if (isNothing) {
      this.#requests.note(requestId, decision);
      return decision.failure === null && decision.taskId !== null;
    }
    const owed = this.#record(observation, decision, { moment, requestId });
    if (owed === null) return false;
    const taskId = decision.taskId ?? owed.effects[0]?.taskId ?? null;
    if (taskId !== null) this.#carryOut(taskId, owed, requestId);
    return true;
  }

  /** What is owed now that the decision is recorded; null when it is not, or not completely. */
  #record(
    observation: Observation,
    decision: Decision,
    { moment, requestId }: { readonly moment: Moment; readonly requestId: string | null },
  ): Owed | null {
    const recorded = this.#parts.recorder.record(decision, moment, requestId);
    if (!recorded.ok) this.#unrecorded.refuse(observation, decision.taskId);
    const failure = recorded.ok ? recorded.value.late : recorded.failure;
    this.#requests.note(requestId, failure === null ? decision : { ...decision, failure });
    if (failure === null) return recorded.ok ? recorded.value : null;
    journalFailure(this.#parts.log, failure, { event: 'record.failed', level: 'error' });
    return null;
  }

  #absorb(observation: Observation): void {
    if (!('taskId' in observation)) return;
    const task = this.#parts.world.tasks.get(observation.taskId);
    if (task !== undefined) this.#parts.world.putTask(absorb(task, observation));
  }

  /** Lets everything follow that the new state calls for, then fills free slots. */
  #followUp(observation: Observation, requestId: string | null): void {
    const taskId = 'taskId' in observation ? observation.taskId : this.#requestedTask(observation);
    let steps = 0;
    const count = (): void => {
      steps += 1;
      if (steps > MAX_FOLLOW_UPS)
        throw new InternalError(`no end of decisions for ${taskId ?? '?'}`);
    };
    if (taskId !== null) {
      while (this.#step({ kind: 'reconsider', taskId }, requestId)) count();
    }
    while (this.#step({ kind: 'schedule' }, requestId)) count();
  }

  #requestedTask(observation: Observation): string | null {
    if (observation.kind !== 'request') return null;
    return 'taskId' in observation.request ? observation.request.taskId : observation.newId;
  }

  #carryOut(taskId: string, owed: Owed, requestId: string | null): void {
    if (owed.effects.length === 0) return;
    this.#requests.begin(requestId);
    this.#effects.add(taskId, async () => {
      if (await this.#carryOutAll(taskId, owed, requestId)) this.#settle(owed.seq);
      this.#requests.end(requestId);
    });
  }

  /** False when a result could not be recorded: it is kept, and so is the entry, until it can. */
  async #carryOutAll(taskId: string, owed: Owed, requestId: string | null): Promise<boolean> {
    for (const [index, effect] of owed.effects.entries()) {
      if (requestId !== null) this.#parts.onProgress(requestId, effect);
      const seen = await attemptEffect(this.#parts, effect);
      failpoint('effect.done');
      if (seen === null) continue;
      this.#submit({ observation: seen, requestId });
      failpoint('effect.recorded');
      if (this.#unrecorded.wasRefused(seen)) {
        const rest = { seq: owed.seq, effects: owed.effects.slice(index + 1) };
        this.#unrecorded.keep({ taskId, seen, rest });
        return false;
      }
    }
    return true;
  }

  #settle(seq: number | null): void {
    const settled = seq === null ? null : this.#parts.recorder.settle(seq);
    if (settled === null || settled.ok) return;
    const about = { event: 'outbox.not-cleared', level: 'warn' } as const;
    journalFailure(this.#parts.log, settled.failure, about);
  }

  /** A request about a task that is being started, merged or freed waits until that is over. */
  #mustWait(envelope: Envelope): boolean {
    const { observation } = envelope;
    if (observation.kind !== 'request' || !('taskId' in observation.request)) return false;
    const { taskId } = observation.request;
    if (this.#parts.world.tasks.get(taskId)?.activity === null) return false;
    if (!this.#parts.world.tasks.has(taskId)) return false;
    this.#deferred.set(taskId, [...(this.#deferred.get(taskId) ?? []), envelope]);
    return true;
  }

  #wakeDeferred(taskId: string): void {
    const waiting = this.#deferred.get(taskId);
    if (waiting === undefined || this.#parts.world.tasks.get(taskId)?.activity !== null) return;
    this.#deferred.delete(taskId);
    this.#queue.push(...waiting);
  }

  #lookFirst(observation: Observation): void {
    const { world } = this.#parts;
    const taskId =
      observation.kind === 'agent-ended' ? observation.taskId : this.#existingTask(observation);
    if (taskId === null) return;
    const seen = this.#parts.look(taskId, observation.kind === 'agent-ended' ? 'final' : 'now');
    const task = world.tasks.get(taskId);
    if (seen !== null && task !== undefined) world.putTask(absorb(task, seen));
  }

  #existingTask(observation: Observation): string | null {
    if (observation.kind !== 'request' || !('taskId' in observation.request)) return null;
    return observation.request.taskId;
  }

  #now(): Moment {
    const nowMs = this.#parts.clock.nowMs();
    const monotonicMs = this.#parts.clock.monotonicMs();
    return { nowMs, monotonicMs, timestamp: new Date(nowMs).toISOString() };
  }
}
