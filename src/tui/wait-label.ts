import { nameInReason } from '../domain/name-in-reason.js';
import type { Snapshot, TaskView, WaitReason } from '../domain/task-view.js';
import { clip, oneLine } from './display-text.js';
import { QUIET, type Span, span, WARNING } from './palette.js';
import { taskName } from './task-name.js';

/** The tasks that a reason may name. */
export type Others = Snapshot['tasks'];

const WORDS: Readonly<Record<string, string>> = {
  cycle: 'cycle',
  backlog: 'backlog',
  'start-gate': 'needs approval',
  'pool-full': 'pool full',
  'global-limit': 'global limit',
  'harness-not-installed': 'harness missing',
  'project-missing': 'project missing',
  reserved: 'files reserved',
  budget: 'budget is 0',
  'start-failed': 'start failed',
  unreadable: 'unreadable',
  fault: 'fault',
  // Of tasks that are under way.
  overlap: 'overlap',
  'plan-gate': 'plan to approve',
  'merge-failed': 'merge failed',
  'pr-feedback': 'PR feedback',
};

/** Those whose message names somebody and is short enough once it is cut. */
const TELLING: Readonly<Record<string, (message: string) => string>> = {
  blocked: (message) => message.replace(/ \(.*$/u, ''),
  'dead-end': (message) => message.replace(/^blocked by (.*), which (?:was )?/u, 'dead end: $1 '),
  held: (message) => message.replace(/ \(orange .*$/u, ''),
  assigned: (message) => message,
  starting: (message) => message,
};

/** A reason to wait in a few words; null where a task's status already says it. */
function shortWait(task: TaskView, reason: WaitReason, others: Others): string | null {
  const tell = TELLING[reason.code];
  if (tell === undefined) return WORDS[reason.code] ?? null;
  return oneLine(tell(nameOthers(reason.message, others, task.fields.project)));
}

/** Everything a pending task waits for, in a few words each; empty when it starts now. */
export function waitLine(task: TaskView, others: Others): string {
  return task.reasons.map((reason) => shortWait(task, reason, others) ?? reason.code).join(' · ');
}

/** The first thing that a task waits for, as a chip before its summary. */
export function waitChips(task: TaskView, others: Others): readonly Span[] {
  const [first, ...more] = task.reasons.flatMap((reason) => {
    const text = shortWait(task, reason, others);
    return text === null ? [] : [{ text, tone: reason.settle === undefined ? QUIET : WARNING }];
  });
  if (first === undefined) return [];
  const count = more.length === 0 ? '' : ` +${more.length}`;
  return [span(`[${clip(first.text, LONGEST_CHIP)}${count}] `, first.tone)];
}

const LONGEST_CHIP = 24;

/** A reason with names instead of ids. */
export function nameOthers(message: string, others: Others, project: string | null = null): string {
  return nameInReason(message, (id) => nameOther(id, others, project));
}

/** A task by name, or by its id when there is none; a task of `project` by its branch alone. */
export function nameOther(id: string, others: Others, project: string | null = null): string {
  const other = others.find(({ fields }) => fields.id === id);
  if (other === undefined) return id;
  return taskName(other, other.fields.project === project ? 'branch' : 'full');
}
