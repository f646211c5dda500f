import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';

/** Effects that are owed, and the outbox entry that remembers them until they are done. */
export type Owed = { readonly seq: number | null; readonly effects: readonly Effect[] };

/** `late`: TASK.md shows the change, but its history could not be written yet and its effects wait. */
export type Recorded = Owed & { readonly late: Failure | null };
