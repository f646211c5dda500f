import { labelPullRequest } from '../domain/label-pull-request.js';
import type { TaskView } from '../domain/task-view.js';
import { oneLine } from './display-text.js';
import { BAD, PLAIN, QUIET, type Span, span, type Tone } from './palette.js';
import { riskChip } from './risk-view.js';
import { type Others, waitChips } from './wait-label.js';

/** What is worth knowing before a task's summary: why it waits, how risky its merge is, its pull request. */
export function chipsOf(
  task: TaskView,
  others: Others,
  { hasPullRequest }: { readonly hasPullRequest: boolean },
): readonly Span[] {
  return [
    ...waitChips(task, others),
    ...(task.finalized === undefined ? [] : [riskChip(task.finalized)]),
    ...(hasPullRequest ? pullRequestChips(task) : []),
  ];
}

function pullRequestChips(task: TaskView): readonly Span[] {
  const label = oneLine(labelPullRequest(task));
  return label === '' ? [] : [span(`[${label}] `, pullRequestTone(task, PLAIN))];
}

export function pullRequestTone({ extensions }: TaskView, otherwise: Tone = QUIET): Tone {
  return extensions['pr_checks'] === 'failing' ? BAD : otherwise;
}
