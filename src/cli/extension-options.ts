import type { Command } from 'commander';
import { CATEGORIES, PRIORITIES, QUEUES } from '../domain/extensions.js';
import type { ExtensionEdits } from '../domain/request.js';
import { success, type Result } from '../domain/result.js';
import type { FrontmatterValue } from '../domain/task.js';
import type { CommandContext } from './command-context.js';
import { findTask } from './find-task.js';
import { choice, collectList, parsePriority } from './options.js';

export type ExtensionOptions = {
  readonly priority?: string;
  readonly queue?: string;
  readonly category?: string;
  readonly weight?: string;
  readonly tag?: readonly string[];
  readonly blockedBy?: readonly string[];
  readonly relatedTo?: readonly string[];
  readonly base?: string;
  readonly effort?: string;
  readonly reviewEffort?: string;
  readonly model?: string;
};

const WEIGHTS = ['trivial', 'small', 'medium', 'large', 'greenfield'];

/** The options that `task create` and `task update` share; each sets one extension key. */
export function withExtensions(command: Command): Command {
  return command
    .addOption(
      choice('--priority <level>', 'how urgent it is', PRIORITIES).argParser(parsePriority),
    )
    .addOption(choice('--queue <queue>', 'backlog waits', QUEUES))
    .addOption(choice('--category <kind>', 'what kind of work it is', CATEGORIES))
    .addOption(choice('--weight <weight>', 'how big it is', WEIGHTS))
    .option('--tag <tag>', 'label; may be repeated', collectList)
    .option('--blocked-by <task>', 'wait until this task is done; may be repeated', collectList)
    .option('--related-to <task>', 'name a task it has to do with; may be repeated', collectList)
    .option('--base <branch>', 'branch to start from and merge into')
    .option('--effort <level>', "effort, passed to the worker's harness")
    .option('--review-effort <level>', "effort, passed to the reviewer's harness")
    .option('--model <name>', 'model, passed to the harness');
}

/** The edits that these options ask for; null takes a key away (an empty text, or the default). */
export async function extensionEdits(
  context: CommandContext,
  options: ExtensionOptions,
): Promise<Result<ExtensionEdits>> {
  const blockers = await taskIds(context, options.blockedBy);
  if (!blockers.ok) return blockers;
  const related = await taskIds(context, options.relatedTo);
  if (!related.ok) return related;
  const edits: Record<string, FrontmatterValue | undefined> = {
    priority: unlessDefault(options.priority, 'normal'),
    queue: unlessDefault(options.queue, 'active'),
    category: unlessDefault(options.category, 'feature'),
    weight: unlessDefault(options.weight, 'medium'),
    tags: listEdit(options.tag),
    blocked_by: blockers.value,
    related_to: related.value,
    base: unlessDefault(options.base, ''),
    effort: unlessDefault(options.effort, ''),
    review_effort: unlessDefault(options.reviewEffort, ''),
    model: unlessDefault(options.model, ''),
  };
  const given = Object.entries(edits).filter(
    (entry): entry is [string, FrontmatterValue] => entry[1] !== undefined,
  );
  return success(Object.fromEntries(given));
}

/** The edits without removals: a new task has nothing to remove. */
export function withoutRemovals(edits: ExtensionEdits): ExtensionEdits {
  return Object.fromEntries(Object.entries(edits).filter(([, value]) => value !== null));
}

function unlessDefault(value: string | undefined, standard: string): string | null | undefined {
  return value === standard ? null : value;
}

function listEdit(values: readonly string[] | undefined): readonly string[] | null | undefined {
  if (values === undefined) return undefined;
  const unique = [...new Set(values.filter((value) => value !== ''))];
  return unique.length === 0 ? null : unique;
}

async function taskIds(
  context: CommandContext,
  names: readonly string[] | undefined,
): Promise<Result<readonly string[] | null | undefined>> {
  const wanted = listEdit(names);
  if (wanted === undefined || wanted === null) return success(wanted);
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const ids: string[] = [];
  for (const name of wanted) {
    const task = findTask(snapshot.value.tasks, name);
    if (!task.ok) return task;
    ids.push(task.value.fields.id);
  }
  return success(ids);
}
