import type { Failure } from './failure.js';

/** What a fallible step gives back: a value, or a failure that is part of normal life. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}

export const DONE: Result<void> = { ok: true, value: undefined };
