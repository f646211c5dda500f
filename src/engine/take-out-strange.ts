import type { RuntimeEdit, SectionEdit } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import { keptWordsName } from '../domain/kept-words.js';
import type { Claims, TaskState } from '../domain/world.js';
import type { Origin } from './claims-origin.js';
import { isFromEarlierRound } from './moves.js';

type TakenOut = {
  readonly sections: readonly SectionEdit[];
  readonly events: readonly EventDraft[];
  readonly runtime: RuntimeEdit;
};

/**
 * Takes out what is not of this task's work, or not of this round: it must move nothing here. What
 * another task's file says is kept, and waits for a person to look at it.
 */
export function takeOutStrange(
  task: TaskState,
  claims: Claims,
  { origin, timestamp }: { readonly origin: Origin; readonly timestamp: string },
): TakenOut {
  if (origin !== 'another task’s file') {
    return { sections: staleReview(task, claims, timestamp), events: [], runtime: {} };
  }
  const transcript = keptWordsName(`of-${claims.fields.id}`, timestamp);
  const sections = ARTIFACTS.map(([section]): SectionEdit => {
    return { kind: 'move-out', section, transcript };
  });
  const found = ARTIFACTS.filter(([, digest]) => task.artifacts[digest] !== null);
  if (found.length === 0) return { sections, events: [], runtime: {} };
  const names = found.map(([section]) => section);
  const events = [{ type: 'edit.kept', transcript, sections: names }];
  return { sections, events, runtime: { keptEdit: transcript } };
}

const ARTIFACTS = [
  ['Plan', 'planDigest'],
  ['Handoff', 'handoffDigest'],
  ['Review', 'reviewDigest'],
] as const;

/** A Review that an old copy of the file brings back is taken out again: it is of another round. */
function staleReview(task: TaskState, claims: Claims, timestamp: string): readonly SectionEdit[] {
  const isBack = task.fields.status === 'agent-review' && task.artifacts.reviewDigest !== null;
  if (!isBack || !isFromEarlierRound(task)) return [];
  const transcript = keptWordsName(`review-${claims.fields.review_round}-again`, timestamp);
  return [{ kind: 'move-out', section: 'Review', transcript }];
}
