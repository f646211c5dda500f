import type { EventDraft } from '../../domain/history-event.js';

/** What was done, in words, and what the task's history is told of it if not the usual. */
export type Done = { readonly message: string; readonly event?: EventDraft };
