import type { Decision } from '../domain/decision.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Log } from '../ports.js';

/** Logs what was seen and what was decided on it. */
export function journalDecision(log: Log, observation: Observation, decision: Decision): void {
  log.write({
    event: `seen.${observation.kind}`,
    task: decision.taskId ?? undefined,
    request: observation.kind === 'request' ? observation.request.kind : undefined,
    changes: decision.changes.map((change) => change.kind),
    events: decision.changes.flatMap((change) =>
      'events' in change ? change.events.map((event) => event.type) : [],
    ),
    effects: decision.effects.map((effect) => effect.kind),
    failure: decision.failure?.kind,
  });
}

/** Logs decisions with what became of them; what fails again and again for one reason is said once. */
export class DecisionJournal {
  readonly #log: Log;
  /** Why the last decision on a task could not be recorded. */
  readonly #said = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  note(observation: Observation, decision: Decision, failure: Failure | null): void {
    const about = decision.taskId ?? '';
    const reason = failure === null ? null : reasonOf(failure);
    // Whoever asked has been told, and is worth a line each time.
    const isOld = observation.kind !== 'request' && this.#said.get(about) === reason;
    if (reason === null) this.#said.delete(about);
    else if (isOld) return;
    else this.#said.set(about, reason);
    journalDecision(this.#log, observation, decision);
    if (failure === null) return;
    journalFailure(this.#log, failure, { event: 'record.failed', level: 'error' });
  }
}

function reasonOf(failure: Failure): string {
  return failure.kind === 'io-failed' ? `${failure.kind} ${failure.code}` : failure.kind;
}

/** Tells of an intent that is done with and cannot be taken away. */
export function journalUncleared(log: Log, failure: Failure): void {
  journalFailure(log, failure, { event: 'outbox.not-cleared', level: 'warn' });
}

function journalFailure(
  log: Log,
  failure: Failure,
  about: { readonly event: string; readonly level: 'warn' | 'error' },
): void {
  log.write({ ...about, failure: failure.kind, message: describeFailure(failure).message });
}
