import { baseOf, blockersOf, holdOf, priorityOf } from '../domain/extensions.js';
import { dateReason } from '../domain/date-reason.js';
import { describeMissingReviewer } from '../domain/describe-missing-reviewer.js';
import { describePullRequestState } from '../domain/label-pull-request.js';
import type { SessionState } from '../domain/session.js';
import { untoldRemedy } from '../domain/remedy.js';
import { isTerminal } from '../domain/status.js';
import type { TaskView, WaitReason } from '../domain/task-view.js';
import { pullRequestTone } from './chips.js';
import { clip, columnsOf, oneLine, wrapAtMost } from './display-text.js';
import {
  BAD,
  type Line,
  QUIET,
  SESSION_TONES,
  STATUS_TONES,
  STRONG,
  span,
  type Tone,
  WARNING,
} from './palette.js';
import { questionText } from './question-text.js';
import { riskLines } from './risk-view.js';
import { taskName } from './task-name.js';
import { nameOther, nameOthers, type Others } from './wait-label.js';

/** The limits that the settings give; they only colour what is told about a task. */
export type Limits = { readonly crashLimit: number; readonly maxReviewRounds: number };

const SESSION_WORDS: Readonly<Record<SessionState, string>> = {
  active: 'agent running',
  crashed: 'agent died',
  inactive: 'no agent',
};

/** What is told about the selected task, the most pressing things first. */
export function detailLines(input: {
  readonly task: TaskView;
  readonly others: Others;
  readonly limits: Limits;
  readonly width: number;
  readonly height: number;
  readonly nowMs: number;
}): readonly Line[] {
  const { task, others, width, height, nowMs } = input;
  if (height <= 0) return [];
  const summary = wrapAtMost(oneLine(task.fields.summary), width, 2).filter((line) => line !== '');
  const lines: readonly Line[] = [
    rule(width),
    headline(task, width),
    ...summary.map((line) => [span(line)]),
    ...quietLines(task, width),
    ...riskLines(task, width),
    ...pullRequestLines(task, width),
    ...task.reasons.flatMap((reason) =>
      reasonLines(named(dateReason(reason, nowMs), others), task, width),
    ),
    ...task.problems.flatMap((problem) =>
      texts(
        `✗ ${place(problem)} ${problem.message} ${problem.fix}`,
        width,
        problem.severity === 'error' ? BAD : WARNING,
      ),
    ),
    ...joinFacts(facts(task, input.limits), width).map((line): Line => [span(line, QUIET)]),
    ...texts(extras(task, others).join(' · '), width, QUIET),
  ];
  if (lines.length <= height) return lines;
  return [
    ...lines.slice(0, height - 1),
    [span(clip(`… ${lines.length - height + 1} more, v shows the task`, width), QUIET)],
  ];
}

function named(reason: WaitReason, others: Others): WaitReason {
  return { ...reason, message: nameOthers(reason.message, others) };
}

function reasonLines(reason: WaitReason, task: TaskView, width: number): readonly Line[] {
  // The problem below says it with file and line.
  const isShown = reason.code === 'unreadable' || reason.code === 'fault';
  if (isShown && task.problems.length > 0) return [];
  const asked = reason.code === 'question' ? task.questions : [];
  const said = asked.length === 0 ? [reason.message] : asked.map(questionText);
  return [
    ...said.flatMap((text) => texts(`! ${text}`, width, WARNING)),
    ...(task.fields.status === 'pending' ? remedyLines(reason, task, width) : []),
  ];
}

// What waits in the queue has hardly a key that helps; in any other status there is one.
function remedyLines(reason: WaitReason, task: TaskView, width: number): readonly Line[] {
  const remedy = untoldRemedy(reason, task) ?? '';
  return texts(remedy, width - REMEDY_INDENT.length, QUIET).map((line) => [
    span(REMEDY_INDENT),
    ...line,
  ]);
}

const REMEDY_INDENT = '  ';

// A stalled agent, or one that waits, has a reason of its own.
function quietLines({ attention }: TaskView, width: number): readonly Line[] {
  return attention?.kind === 'quiet' ? texts(`~ ${attention.reason}`, width, WARNING) : [];
}

function pullRequestLines(task: TaskView, width: number): readonly Line[] {
  const { pr_url: url } = task.fields;
  if (url === null) return [];
  const state = describePullRequestState(task.extensions);
  const about = state === '' ? 'pull request' : `pull request ${state}`;
  return texts(`${about} · ${url}`, width, pullRequestTone(task));
}

export function rule(width: number): Line {
  return [span('─'.repeat(width), QUIET)];
}

function headline(task: TaskView, width: number): Line {
  const status = task.fields.status;
  const words = ` ${SESSION_WORDS[task.session]}`;
  const room = width - columnsOf(status) - columnsOf(words) - 2;
  if (room < 8) return [span(clip(taskName(task), width), STRONG)];
  return [
    span(clip(taskName(task), room), STRONG),
    span(`  ${status}`, STATUS_TONES[status]),
    span(words, SESSION_TONES[task.session]),
  ];
}

function facts(task: TaskView, limits: Limits): readonly string[] {
  const { fields } = task;
  return [
    `harness ${oneLine(fields.harness)}`,
    oneLine(describeMissingReviewer(task) ?? `reviewed by ${fields.review_harness}`),
    ...(fields.review_round > 0 ? [roundText(fields.review_round, limits.maxReviewRounds)] : []),
    ...(fields.crash_count > 0 ? [`crash ${fields.crash_count}/${limits.crashLimit}`] : []),
    ...(task.drift === undefined ? [] : [`drift ${task.drift.count}`]),
    ...(fields.workspace === null ? [] : [`workspace ${oneLine(fields.workspace)}`]),
    `id ${oneLine(fields.id)}`,
  ];
}

function extras(task: TaskView, others: Others): readonly string[] {
  const { extensions, fields } = task;
  const priority = priorityOf(extensions);
  const blockers = isTerminal(fields.status) ? [] : blockersOf(extensions);
  const base = baseOf(extensions);
  const hold = holdOf(extensions);
  const isTold = (...codes: string[]) => task.reasons.some(({ code }) => codes.includes(code));
  return [
    ...(priority === 'normal' ? [] : [`priority ${priority}`]),
    ...(hold === null || isTold('held') ? [] : [`held: ${oneLine(hold)}`]),
    ...(blockers.length === 0 || isTold('blocked', 'dead-end', 'cycle')
      ? []
      : [`blocked by ${blockers.map((id) => oneLine(nameOther(id, others))).join(', ')}`]),
    ...(base === null ? [] : [`base ${oneLine(base)}`]),
  ];
}

// A person may send a task back more often than agents may review it.
function roundText(round: number, most: number): string {
  return round > most ? `review round ${round}` : `review round ${round}/${most}`;
}

/** Facts side by side; a line ends between two of them, never within one that fits. */
function joinFacts(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1) ?? ''}${SEPARATOR}${part}`;
    if (lines.length > 0 && columnsOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(...wrapAtMost(part, width, 2));
  }
  return lines;
}

const SEPARATOR = ' · ';

function place(problem: TaskView['problems'][number]): string {
  const file = problem.file.split('/').at(-1) ?? problem.file;
  return `${file}:${problem.line} ${problem.code}`;
}

function texts(text: string, width: number, tone: Tone): readonly Line[] {
  const line = oneLine(text);
  return line === '' ? [] : wrapAtMost(line, width, 2).map((part) => [span(part, tone)]);
}
