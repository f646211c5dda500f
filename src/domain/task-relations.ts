import { blockersOf, listOf } from './extensions.js';
import { TASK_ID_LENGTH } from './task-id.js';
import type { Relations, TaskView } from './task-view.js';

/** The ids that a text names, each once. */
export function idsIn(text: string | null): readonly string[] {
  return [...new Set(text?.match(TASK_IDS))];
}

const TASK_IDS = new RegExp(`\\b[0-9A-Za-z]{${TASK_ID_LENGTH}}\\b`, 'gu');

/** Answers for each task what the others say of it, after going over all of them once. */
export function relateTasks(tasks: readonly TaskView[]): (taskId: string) => Relations {
  const blocks = new Map<string, string[]>();
  const references = new Map<string, string[]>();
  for (const { fields, extensions, mentions } of tasks) {
    note(blocks, fields.id, blockersOf(extensions));
    note(references, fields.id, [...listOf(extensions['related_to']), ...(mentions ?? [])]);
  }
  return (taskId) => ({
    blocks: blocks.get(taskId) ?? [],
    referenced_by: references.get(taskId) ?? [],
  });
}

/** Which of its `blocked_by` and `related_to` name no task. */
export function missingReferences(
  { extensions }: Pick<TaskView, 'extensions'>,
  isKnown: (taskId: string) => boolean,
): readonly { readonly key: string; readonly id: string }[] {
  return ['blocked_by', 'related_to'].flatMap((key) =>
    listOf(extensions[key])
      .filter((id) => !isKnown(id))
      .map((id) => ({ key, id })),
  );
}

function note(inverse: Map<string, string[]>, from: string, targets: readonly string[]): void {
  for (const target of new Set(targets)) {
    if (target === from) continue;
    const known = inverse.get(target);
    if (known === undefined) inverse.set(target, [from]);
    else known.push(from);
  }
}
