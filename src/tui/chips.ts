import type { Finalization, Risk } from '../domain/finalization.js';
import { labelPullRequest } from '../domain/label-pull-request.js';
import type { TaskView } from '../domain/task-view.js';
import { oneLine } from './display-text.js';
import { BAD, GOOD, PLAIN, QUIET, type Span, span, type Tone, WARNING } from './palette.js';
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

const RISK_TONES: Readonly<Record<Risk, Tone>> = {
  None: GOOD,
  Low: GOOD,
  Medium: WARNING,
  High: BAD,
  Critical: BAD,
};

/** A merge that cannot be made as things stand is bad news, however small it is. */
export function riskTone({ ready, risk }: Finalization): Tone {
  return ready ? RISK_TONES[risk] : BAD;
}

function riskChip(finalized: Finalization): Span {
  const mark = finalized.ready ? '✓' : '✗';
  return span(`[risk ${finalized.risk} ${mark}] `, riskTone(finalized));
}

function pullRequestChips(task: TaskView): readonly Span[] {
  const label = oneLine(labelPullRequest(task));
  return label === '' ? [] : [span(`[${label}] `, pullRequestTone(task, PLAIN))];
}

export function pullRequestTone({ extensions }: TaskView, otherwise: Tone = QUIET): Tone {
  return extensions['pr_checks'] === 'failing' ? BAD : otherwise;
}
