import { failpoint } from '../domain/failpoint.js';
import type { Decision } from '../domain/decision.js';
import type { Moment, Observation } from '../domain/observation.js';
import type { Actor, TaskRequest } from '../domain/request.js';
import type { Result } from '../domain/result.js';
import { absorb } from '../engine/absorb.js';
import { decide } from '../engine/decide.js';
import { attemptEffect } from './attempt-effect.js';
import { DeferredRequests } from './deferred-requests.js';
import { EffectQueue } from './effect-queue.js';
import { FaultBook } from './fault-book.js';
import { countSteps } from './count-steps.js';
import { DecisionJournal, journalDecision, journalUncleared } from './journal.js';
import {
  lookFirst,
  observedTask,
  requestedTask,
  type Envelope,
  type LoopParts,
  type Rules,
} from './loop-parts.js';
import { momentOf } from './moment-of.js';
import type { Owed } from './owed.js';
import { RequestBook } from './request-book.js';
import { UnrecordedBook } from './unrecorded.js';

const SCHEDULE = { observation: { kind: 'schedule' }, requestId: null, keeper: 'loop' } as const;

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
  readonly #journal: DecisionJournal;
  readonly #deferred: DeferredRequests<Envelope>;
  readonly #faults: FaultBook;
  readonly #rules: Rules;
  /** The task that is being dealt with; null while it may be any. */
  #subject: string | null = null;
  #isDraining = false;
  #isTogether = false;
  #requestCount = 0;

  constructor(parts: LoopParts, rules: Rules = { absorb, decide }) {
    this.#parts = parts;
    this.#journal = new DecisionJournal(parts.log);
    this.#faults = new FaultBook(parts);
    this.#deferred = new DeferredRequests(parts);
    this.#rules = rules;
  }

  /** Takes an observation from outside. */
  see(observation: Observation): void {
    this.#submit({ observation, requestId: null, keeper: 'loop' });
  }

  /** Takes an observation and tells whether what came of it is recorded. */
  take(observation: Observation): boolean {
    this.#submit({ observation, requestId: null, keeper: 'teller' });
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
    const observation = { kind: 'request', request, actor, newId: this.#parts.newId() } as const;
    this.#submit({ observation, requestId, keeper: 'teller' });
    return answer.finally(() => this.#parts.onAnswered(requestId));
  }

  /** Carries out effects that an earlier daemon still owed. */
  resume(taskId: string, owed: Owed): void {
    if (owed.effects.length > 0) this.#carryOut(taskId, owed, null);
    else this.#settle(owed.seq);
  }

  /** Writes what could not be written before, e.g. because the disk was full. */
  retryLate(): void {
    const { owed: pending, freed } = this.#parts.recorder.retryLate();
    for (const owed of pending) this.resume(owed.effects[0]?.taskId ?? '', owed);
    for (const taskId of freed) this.see({ kind: 'reconsider', taskId });
    const { results, tasks } = this.#unrecorded.take();
    for (const { seen, rest, taskId } of results) {
      const again = { ...seen };
      if (this.take(again)) this.resume(taskId, rest);
      else this.#unrecorded.keep({ seen: again, rest, taskId });
    }
    for (const taskId of tasks) this.see({ kind: 'reconsider', taskId });
    for (const taskId of this.#faults.due(this.#now())) this.#tryAgain(taskId);
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
    if (observation.kind === 'request') this.#faults.lift(requestedTask(observation), this.#now());
    if (this.#refuse(envelope)) return;
    if (this.#deferred.putOff(envelope)) return;
    const taskId = observedTask(observation);
    if (taskId !== null && this.#faults.isHeldBack(taskId)) this.#keep(envelope, taskId);
    else this.#attempt(envelope);
    if (taskId !== null) this.#queue.push(...this.#deferred.takeReady(taskId));
    this.#requests.end(requestId);
  }

  /**
   * Turns down what is about a task of which something earlier is not recorded yet; true when it was.
   * What is seen of it then is seen again later.
   */
  #refuse({ observation, requestId }: Envelope): boolean {
    const taskId = observedTask(observation) ?? requestedTask(observation) ?? '';
    const late = this.#unrecorded.failureOf(taskId) ?? this.#parts.recorder.lateBecause(taskId);
    const unrecorded = observation.kind === 'request' ? late : null;
    const failure = this.#parts.stuckBecause(taskId) ?? unrecorded;
    if (failure === null) return false;
    this.#unrecorded.refuse(observation, null);
    this.#requests.note(requestId, { failure, taskId });
    this.#requests.end(requestId);
    return true;
  }

  /** A bug that comes up with one task is that task's fault, and the others go on. */
  #attempt(envelope: Envelope): void {
    const { observation, requestId } = envelope;
    let isTaken = false;
    try {
      this.#subject = observedTask(observation);
      const seen = lookFirst(this.#parts, observation);
      if (seen !== null) this.#absorb(seen);
      const isDone = this.#step(observation, requestId);
      isTaken = true;
      if (isDone) this.#followUp(observation, requestId);
    } catch (error) {
      const asked = observedTask(observation) ?? requestedTask(observation);
      const { taskId, isNews } = this.#faults.blame(error, this.#subject ?? asked, this.#now());
      if (taskId === asked && !isTaken) this.#keep(envelope, taskId);
      // The others are looked at without the one that was in their way.
      else if (isNews) this.#queue.push(SCHEDULE);
    }
  }

  /** Puts off an observation of a task that orange fails at. */
  #keep({ observation, requestId, keeper }: Envelope, taskId: string): void {
    this.#unrecorded.refuse(observation, null);
    if (keeper === 'loop') this.#faults.hold(taskId, observation);
    this.#requests.note(requestId, { failure: this.#faults.failureOf(taskId), taskId });
  }

  #tryAgain(taskId: string): void {
    this.#faults.lift(taskId, this.#now());
    for (const seen of this.#faults.takeHeld(taskId)) this.see(seen);
    this.see({ kind: 'reconsider', taskId });
    if (this.#faults.endTrial(taskId)) this.see({ kind: 'schedule' });
  }

  /** One turn: absorb, decide, record, carry out. True when something came of it. */
  #step(observation: Observation, askedBy: string | null): boolean {
    this.#subject = observedTask(observation);
    this.#absorb(observation);
    const moment = this.#now();
    const decision = this.#rules.decide(this.#parts.world, observation, moment);
    this.#subject = decision.taskId ?? this.#subject;
    const requestId = this.#requests.ownerOf(askedBy, decision.taskId);
    const isNothing = decision.changes.length === 0 && decision.effects.length === 0;
    if (isNothing) {
      if (decision.failure !== null) journalDecision(this.#parts.log, observation, decision);
      this.#requests.note(requestId, decision);
      return decision.failure === null && decision.taskId !== null;
    }
    const owed = this.#record(observation, decision, { moment, requestId });
    if (owed !== null) this.#carryOut(decision.taskId, owed, requestId);
    return owed !== null;
  }

  /** What is owed now that the decision is recorded; null when it is not, or not completely. */
  #record(
    observation: Observation,
    decision: Decision,
    { moment, requestId }: { readonly moment: Moment; readonly requestId: string | null },
  ): Owed | null {
    const recorded = this.#parts.recorder.record(decision, moment, requestId);
    if (!recorded.ok) this.#unrecorded.refuse(observation, decision.taskId, recorded.failure);
    const failure = recorded.ok ? recorded.value.late : recorded.failure;
    // Whoever waits for the end of this is told why it does not come.
    if (recorded.ok && failure !== null && decision.taskId !== null) {
      this.#queue.push(...this.#deferred.takeAll(decision.taskId));
    }
    this.#requests.note(requestId, failure === null ? decision : { ...decision, failure });
    this.#journal.note(observation, decision, failure);
    return failure === null && recorded.ok ? recorded.value : null;
  }

  #absorb(observation: Observation): void {
    const task = this.#parts.world.tasks.get(observedTask(observation) ?? '');
    if (task !== undefined) this.#parts.world.putTask(this.#rules.absorb(task, observation));
  }

  /** Lets everything follow that the new state calls for, then fills free slots. */
  #followUp(observation: Observation, requestId: string | null): void {
    const taskId = observedTask(observation) ?? requestedTask(observation);
    const count = countSteps(this.#parts.world.tasks.size, taskId);
    if (taskId !== null) {
      while (this.#step({ kind: 'reconsider', taskId }, requestId)) count();
    }
    while (this.#step({ kind: 'schedule' }, requestId)) count();
  }

  #carryOut(about: string | null, owed: Owed, requestId: string | null): void {
    const taskId = about ?? owed.effects[0]?.taskId;
    if (owed.effects.length === 0 || taskId === undefined) return;
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
      const result = { observation: seen, requestId, keeper: 'teller' } as const;
      await this.#effects.inTurn(() => this.#submit(result));
      failpoint('effect.recorded');
      if (this.#unrecorded.wasRefused(seen)) {
        const rest = { seq: owed.seq, effects: owed.effects.slice(index + 1) };
        this.#unrecorded.keep({ taskId, seen, rest });
        // Whoever waits for the end of this is told why it does not come.
        this.#queue.push(...this.#deferred.takeAll(taskId));
        this.see({ kind: 'reconsider', taskId });
        return false;
      }
    }
    return true;
  }

  #settle(seq: number | null): void {
    const settled = seq === null ? null : this.#parts.recorder.settle(seq);
    if (settled !== null && !settled.ok) journalUncleared(this.#parts.log, settled.failure);
  }

  #now(): Moment {
    return momentOf(this.#parts.clock);
  }
}
