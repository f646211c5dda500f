import type { TaskView } from './task-view.js';

/** That no agent reviews a task, and why; null where one does, did, or nobody knows. */
export function describeMissingReviewer(
  task: Pick<TaskView, 'fields' | 'reviewer_missing'>,
): string | null {
  const { review_round: round, review_harness: reviewer } = task.fields;
  const isMissing = task.reviewer_missing === true && round === 0;
  return isMissing ? `no agent review: ${reviewer} is not installed` : null;
}
