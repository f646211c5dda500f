import { EFFECT_KINDS, type Effect } from '../domain/effect.js';
import type { JsonValue } from '../domain/json.js';

/** An effect as the outbox keeps it. */
export function effectToJson(effect: Effect): JsonValue {
  return { ...effect };
}

/** An effect from the outbox, or null when the value is none that this version knows. */
export function effectFromJson(value: JsonValue): Effect | null {
  return isEffect(value) ? value : null;
}

// The outbox is written by orange alone, in a folder nobody else can open: the kind tells the rest.
function isEffect(value: unknown): value is Effect {
  if (typeof value !== 'object' || value === null) return false;
  if (!('kind' in value) || !('taskId' in value)) return false;
  const { kind, taskId } = value;
  return (
    typeof taskId === 'string' &&
    typeof kind === 'string' &&
    EFFECT_KINDS.some((known) => known === kind)
  );
}
