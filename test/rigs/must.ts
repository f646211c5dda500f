import type { Result } from '../../src/domain/result.js';

/** The value of a step that must have gone well. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
