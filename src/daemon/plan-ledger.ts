import type { EventDraft, HistoryEvent } from '../domain/history-event.js';
import type { ReleaseReason } from '../domain/lock.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { releaseKey, reservationsOf } from '../engine/reservations/reservations.js';
import { planGrantEvent, planReleaseEvent, replayPlanGrants } from '../record/lock-events.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  /** Writes events down; false when that was not possible now. */
  append(events: readonly EventDraft[]): boolean;
};

/** Writes down what Plans take and let go of, for people to read: what is held is known from the Plans. */
export class PlanLedger {
  readonly #parts: Parts;
  #noted = new Map<string, string>();
  #changes = -1;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier daemon wrote down. */
  load(events: readonly HistoryEvent[]): void {
    this.#noted = new Map(
      Array.from(replayPlanGrants(events), ([id, paths]) => [id, releaseKey(paths)]),
    );
    this.#changes = -1;
  }

  /** Writes down what is different since the last time; costs nothing while no task changes. */
  note(): void {
    const { world } = this.#parts;
    const { changes } = world;
    if (changes === this.#changes) return;
    const held = heldByPlans(world);
    const events = [...this.#released(held), ...this.#granted(held)];
    if (events.length > 0 && !this.#parts.append(events)) return;
    this.#changes = changes;
    this.#noted = new Map(Array.from(held, ([id, { key }]) => [id, key]));
  }

  #released(held: ReadonlyMap<string, Held>): readonly EventDraft[] {
    const { world } = this.#parts;
    return [...this.#noted.keys()]
      .filter((id) => !held.has(id))
      .map((id) => planReleaseEvent(id, endedBy(world.tasks.get(id))));
  }

  #granted(held: ReadonlyMap<string, Held>): readonly EventDraft[] {
    return [...held]
      .filter(([id, { key }]) => this.#noted.get(id) !== key)
      .map(([id, { project, paths }]) => planGrantEvent(id, project, paths));
  }
}

type Held = { readonly project: string; readonly paths: readonly string[]; readonly key: string };

function heldByPlans(world: LiveWorld): ReadonlyMap<string, Held> {
  const plans = reservationsOf(world).holders.filter(({ task }) => task !== null);
  return new Map(
    plans.map(({ id, project, scopes }) => {
      const paths = scopes.map(({ text }) => text);
      return [id, { project, paths, key: releaseKey(paths) }];
    }),
  );
}

function endedBy(task: TaskState | undefined): ReleaseReason {
  if (task === undefined) return 'stale-owner';
  const { status } = task.fields;
  if (isTerminal(status)) return 'terminal';
  return status === 'pending' ? 'requeued' : 'explicit';
}
