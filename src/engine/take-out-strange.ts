import type { RuntimeEdit, SectionEdit } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import { keptWordsName } from '../domain/kept-words.js';
import { SECTION_NAMES, type Artifacts, type SectionName } from '../domain/section.js';
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
  const sections = NOT_THE_USERS.map((section): SectionEdit => {
    return { kind: 'move-out', section, transcript };
  });
  const found = sectionsOf(task.artifacts);
  if (found.length === 0) return { sections, events: [], runtime: {} };
  const events = [{ type: 'edit.kept', transcript, sections: found }];
  return { sections, events, runtime: { keptEdit: transcript, keptEditSince: timestamp } };
}

/** The Context is put back as the record has it. */
const NOT_THE_USERS = SECTION_NAMES.filter((name) => name !== 'Context');

/** Those of them that a file is known to have. */
function sectionsOf(artifacts: Artifacts): readonly SectionName[] {
  const { planDigest, handoffDigest, reviewDigest, questions } = artifacts;
  const known: readonly (readonly [SectionName, boolean])[] = [
    ['Questions', questions.length > 0],
    ['Plan', planDigest !== null],
    ['Handoff', handoffDigest !== null],
    ['Review', reviewDigest !== null],
  ];
  return known.filter(([, isThere]) => isThere).map(([name]) => name);
}

/** A Review that an old copy of the file brings back is taken out again: it is of another round. */
function staleReview(task: TaskState, claims: Claims, timestamp: string): readonly SectionEdit[] {
  const isBack = task.fields.status === 'agent-review' && task.artifacts.reviewDigest !== null;
  if (!isBack || !isFromEarlierRound(task)) return [];
  const transcript = keptWordsName(`review-${claims.fields.review_round}-again`, timestamp);
  return [{ kind: 'move-out', section: 'Review', transcript }];
}
