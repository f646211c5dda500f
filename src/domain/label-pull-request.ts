import { textOf } from './extensions.js';
import { parsePullRequestUrl } from './pull-request.js';
import type { Extensions, TaskFields } from './task.js';

/** A task's pull request in a few characters: `#7 open ✗`; empty when there is none. */
export function labelPullRequest(task: {
  readonly fields: Pick<TaskFields, 'pr_url'>;
  readonly extensions: Extensions;
}): string {
  const { pr_url: url } = task.fields;
  if (url === null) return '';
  const number = parsePullRequestUrl(url)?.number;
  const state = textOf(task.extensions['pr_state']) ?? '';
  const mark = MARKS[textOf(task.extensions['pr_checks']) ?? ''] ?? '';
  return [number === undefined ? 'PR' : `#${number}`, state, mark].filter(Boolean).join(' ');
}

/** How it stands in words: `open, checks failing`; empty when nothing is known. */
export function describePullRequestState(extensions: Extensions): string {
  const state = textOf(extensions['pr_state']);
  const checks = textOf(extensions['pr_checks']);
  return [
    ...(state === null ? [] : [state]),
    ...(checks === null ? [] : [`checks ${checks}`]),
  ].join(', ');
}

const MARKS: Readonly<Record<string, string>> = { passing: '✓', failing: '✗', pending: '…' };
