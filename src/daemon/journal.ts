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

export function journalFailure(
  log: Log,
  failure: Failure,
  about: { readonly event: string; readonly level: 'warn' | 'error' },
): void {
  log.write({ ...about, failure: failure.kind, message: describeFailure(failure).message });
}
