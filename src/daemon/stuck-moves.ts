import type { Diagnostic } from '../domain/diagnostic.js';
import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { parseHistory } from '../record/history-log.js';
import { effectFromJson } from './effect-json.js';
import { isCommitted } from './is-committed.js';
import type { Home } from './open-home.js';
import { completeStuck, diagnoseStuck, type Pending, type StuckMove } from './replay-outbox.js';

type Parts = Pick<Home, 'outbox' | 'store' | 'history' | 'paths' | 'files'>;

/** A task none of whose moves is stuck any more, and what is owed for them. */
export type Unstuck = {
  readonly taskId: string;
  readonly project: string;
  readonly owed: readonly Pending[];
};

/**
 * Moves of an earlier daemon whose histories could not be completed at the start. Until they are,
 * nothing is done about their tasks: whatever came into a history first would push them out of it.
 */
export class StuckMoves {
  readonly #parts: Parts;
  #stuck: readonly StuckMove[];
  readonly #owed = new Map<string, Pending[]>();

  constructor(parts: Parts, stuck: readonly StuckMove[]) {
    this.#parts = parts;
    this.#stuck = stuck;
  }

  /**
   * Keeps what is owed for a task of which something later is stuck until that is completed: its
   * result could not be recorded. Gives the rest.
   */
  holdBack(owed: readonly Pending[]): readonly Pending[] {
    return owed.filter((each) => {
      if (this.failureOf(each.taskId) === null) return true;
      this.#owe(each);
      return false;
    });
  }

  /** Why nothing may be done about a task now; null when it may. */
  failureOf(taskId: string): Failure | null {
    return this.#stuck.find(({ entry }) => entry.taskId === taskId)?.failure ?? null;
  }

  /** What is to be said of a task while one of its moves is stuck. */
  diagnose(taskId: string): readonly Diagnostic[] {
    const stuck = this.#stuck.find(({ entry }) => entry.taskId === taskId);
    if (stuck === undefined) return [];
    const file = this.#parts.paths.historyFile(stuck.project, taskId);
    return [diagnoseStuck(file, stuck.failure)];
  }

  /** What the history of a task lacks of moves that count: its TASK.md, which wins, shows them. */
  eventsOf(taskId: string): readonly HistoryEvent[] {
    const ours = this.#stuck.filter(({ entry }) => entry.taskId === taskId);
    return ours.flatMap((stuck) => {
      const committed = isCommitted(this.#parts.store, stuck);
      if (!committed.ok || !committed.value) return [];
      return parseHistory(stuck.entry.events.join('\n')).events;
    });
  }

  /** What the stuck moves promise, for whoever must not give it away meanwhile. */
  promises(): readonly Effect[] {
    const heldBack = [...this.#owed.values()].flat().flatMap(({ effects }) => effects);
    const stuck = this.#stuck.flatMap(({ entry }) =>
      entry.effects.flatMap((value) => effectFromJson(value) ?? []),
    );
    return [...heldBack, ...stuck];
  }

  /** Tries each again, in order; gives the tasks that can be dealt with again. */
  retry(): readonly Unstuck[] {
    if (this.#stuck.length === 0) return [];
    const left: StuckMove[] = [];
    const done = new Map<string, string>();
    for (const stuck of this.#stuck) {
      const { taskId } = stuck.entry;
      const before = left.find(({ entry }) => entry.taskId === taskId);
      const completed = before === undefined ? completeStuck(this.#parts, stuck) : null;
      if (completed === null) left.push(stuck);
      else if (!completed.ok) left.push({ ...stuck, failure: completed.failure });
      else {
        done.set(taskId, stuck.project);
        if (completed.value !== null) this.#owe(completed.value);
      }
    }
    this.#stuck = left;
    return [...done].flatMap(([taskId, project]): readonly Unstuck[] => {
      if (this.failureOf(taskId) !== null) return [];
      const owed = this.#owed.get(taskId) ?? [];
      this.#owed.delete(taskId);
      return [{ taskId, project, owed }];
    });
  }

  #owe(pending: Pending): void {
    this.#owed.set(pending.taskId, [...(this.#owed.get(pending.taskId) ?? []), pending]);
  }
}
