import { mergeBodies, type MergedBody } from '../record/merge-bodies.js';
import type { TaskRecord } from '../domain/task.js';

/** One change that orange itself made to a task's body. */
type OwnEdit = {
  readonly updatedAt: string;
  /** Whether the words were orange's (or a person's through it), or an agent's that came late. */
  readonly words: 'own' | 'late';
  readonly before: string;
  readonly after: string;
};

const MAX_EDITS = 16;

/**
 * Remembers what orange wrote into bodies. An agent that saves what it read before that takes orange's
 * words out again without knowing; they are put back from here.
 */
export class OwnEdits {
  readonly #edits = new Map<string, readonly OwnEdit[]>();

  note(taskId: string, edit: OwnEdit): void {
    if (edit.before === edit.after) return;
    // A body that was cut out of a file's text would keep all of it in memory.
    const kept = structuredClone(edit);
    this.#edits.set(taskId, [...(this.#edits.get(taskId) ?? []), kept].slice(-MAX_EDITS));
  }

  /** A file's body with every own edit that is younger than the copy it was made from. */
  reapply(taskId: string, current: TaskRecord): MergedBody {
    const missing = (this.#edits.get(taskId) ?? []).filter(
      ({ updatedAt }) => updatedAt > current.fields.updated_at,
    );
    return missing.reduce<MergedBody>(
      (sofar, { before, after, words }) => {
        // Against orange's own words a copy's stand back; against its writer's older ones they do not.
        const [ours, theirs] = words === 'own' ? [after, sofar.body] : [sofar.body, after];
        const merged = mergeBodies(before, ours, theirs);
        return { body: merged.body, conflicts: [...sofar.conflicts, ...merged.conflicts] };
      },
      { body: current.body, conflicts: [] },
    );
  }

  forget(taskId: string): void {
    this.#edits.delete(taskId);
  }
}
