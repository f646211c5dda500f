import { isAboutLoss, isAboutFile, type Diagnostic } from '../domain/diagnostic.js';
import type { Decision } from '../domain/decision.js';
import type { JsonValue } from '../domain/json.js';
import type { LostFile, Moment } from '../domain/observation.js';
import { SECTION_NAMES } from '../domain/section.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { decideUpdate, refuse } from './update-task.js';

/** Whether the file of an unfinished task says nothing or is gone, so that it can be written anew. */
export function isFileLost({ problems, fields }: Pick<TaskState, 'problems' | 'fields'>): boolean {
  return problems.length > 0 && problems.every(isAboutLoss) && !isTerminal(fields.status);
}

/** What is left of a lost file, for as long as orange may write it anew by itself. */
export function lostOf(
  task: Pick<TaskState, 'problems' | 'fields' | 'isProvisional'>,
  lost: LostFile | undefined,
): { readonly lost: LostFile } | Record<string, never> {
  const isKnown = lost !== undefined && lost.body !== null && !task.isProvisional;
  const { problems, fields } = task;
  return isKnown && isFileLost({ problems: problems.filter(isAboutFile), fields }) ? { lost } : {};
}

/** The findings about a lost file, with what helps. */
export function tellLoss(
  task: Pick<TaskState, 'isProvisional' | 'context' | 'fields'>,
  diagnostics: readonly Diagnostic[],
  hasBody: boolean,
): readonly Diagnostic[] {
  const isOver = isTerminal(task.fields.status);
  return diagnostics.map((each): Diagnostic => {
    if (!isAboutLoss(each)) return each;
    if (isOver) return { ...each, fix: `${each.fix}, or delete the task: orange task delete` };
    if (hasBody && !task.isProvisional) {
      return { ...each, fix: 'it is written anew from what is known, within seconds' };
    }
    const what = task.context === null ? 'its Context and sections are' : 'its sections are';
    const { message, fix } = each;
    const remedy = `${fix}; or have it written anew without that: orange doctor --fix task-unreadable`;
    return { ...each, message: `${message}, and ${what} not known`, fix: remedy };
  });
}

/** Writes a file anew that has said nothing for so long that nobody is in the middle of writing it. */
export function rewriteLost(task: TaskState, { monotonicMs }: Moment): Decision | null {
  const { lost } = task;
  if (lost === undefined || lost.body === null || !isFileLost(task)) return null;
  return monotonicMs < lost.dueAtMs ? null : rewrite(task, lost.body, {});
}

/** The same because somebody asked, with no more than is known. */
export function rewriteAsked(task: TaskState, asked: Asked): Decision {
  const { id, status } = task.fields;
  const refusal = refuseAction(task, isTerminal(status) ? 'delete' : 'cancel', asked);
  if (refusal !== null) return refuse(refusal, id);
  if (!isFileLost(task)) return { changes: [], effects: [], failure: null, taskId: id };
  const context = task.context === null ? '' : `\n## Context\n\n${task.context.trim()}\n`;
  return rewrite(task, task.lost?.body ?? context, { by: asked.actor });
}

function rewrite(
  task: TaskState,
  body: string,
  facts: Readonly<Record<string, JsonValue>>,
): Decision {
  const because = task.problems[0]?.code === 'ORA006' ? 'gone' : 'empty';
  const sections = SECTION_NAMES.filter((name) => new RegExp(`^## ${name}\\s*$`, 'im').test(body));
  const restored = { type: 'task.restored', because, sections, ...facts };
  return decideUpdate(task, { anew: body, events: [restored] });
}
