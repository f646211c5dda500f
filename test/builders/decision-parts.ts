import type { Change, Decision } from '../../src/domain/decision.js';

export type Update = Extract<Change, { kind: 'update-task' }>;
export type Creation = Extract<Change, { kind: 'create-task' }>;

/** The one update of a decision. */
export function updateOf(decision: Decision | null): Update {
  const change = decision?.changes.find(({ kind }) => kind === 'update-task');
  if (change?.kind !== 'update-task') throw new Error(`no update: ${JSON.stringify(decision)}`);
  return change;
}

/** The one creation of a decision. */
export function creationOf(decision: Decision): Creation {
  const change = decision.changes.find(({ kind }) => kind === 'create-task');
  if (change?.kind !== 'create-task') throw new Error(`no creation: ${JSON.stringify(decision)}`);
  return change;
}
