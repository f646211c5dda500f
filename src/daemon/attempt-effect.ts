import { describeBug } from '../domain/describe-bug.js';
import type { Effect } from '../domain/effect.js';
import type { Observation } from '../domain/observation.js';
import type { Log } from '../ports.js';
import { failEffect } from './fail-effect.js';

/** Carries out one effect. A bug in it must not take the daemon and its other tasks along. */
export async function attemptEffect(
  parts: { readonly log: Log; execute(effect: Effect): Promise<Observation | null> },
  effect: Effect,
): Promise<Observation | null> {
  const event = `effect.${effect.kind}`;
  const task = effect.taskId;
  try {
    const seen = await parts.execute(effect);
    parts.log.write({ event, task, result: seen?.kind ?? 'done' });
    return seen;
  } catch (error) {
    const message = describeBug(error);
    parts.log.write({ event, level: 'error', task, bug: message });
    return failEffect(effect, { kind: 'internal', message });
  }
}
