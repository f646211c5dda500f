import { isAboutUnreadHistory } from '../domain/diagnostic.js';
import type { Effect } from '../domain/effect.js';
import { isTerminal } from '../domain/status.js';
import type { Assembly } from './assemble.js';
import type { LaunchRecords } from '../ports.js';
import type { LiveWorld } from './live-world.js';
import { markOwed } from './load-world.js';
import { remainingEffects } from './remaining-effects.js';
import type { Pending } from './replay-outbox.js';
import type { StuckMoves } from './stuck-moves.js';

type Heirs = {
  readonly world: LiveWorld;
  readonly launches: LaunchRecords;
  readonly stuck?: Pick<StuckMoves, 'promises'>;
};

/** Finds out what an earlier daemon still owes, and marks it so that nothing is begun twice. */
export function takeOverOwed(
  { world, launches, stuck }: Heirs,
  pending: readonly Pending[],
): readonly Pending[] {
  const remaining = (each: Pending): Pending => {
    return { ...each, effects: remainingEffects(each, world, launches) };
  };
  const first = pending.map(remaining);
  const mark = (entries: readonly Pending[], isMeant: (effect: Effect) => boolean): void => {
    for (const effect of entries.flatMap(({ effects }) => effects)) {
      if (isMeant(effect)) markOwed(world, effect);
    }
  };
  // Promised worktrees come first: what is to be released may have been given away meanwhile.
  mark(first, ({ kind }) => kind === 'start-agent');
  for (const promise of stuck?.promises() ?? []) {
    if (promise.kind === 'start-agent') markOwed(world, promise);
  }
  const owed = first.map(remaining);
  mark(owed, ({ kind }) => kind !== 'start-agent');
  return owed;
}

/** Goes on with the effects of an earlier daemon, and frees what finished tasks still hold. */
export function resumeOwed(
  { loop, world }: Pick<Assembly, 'loop' | 'world'>,
  owed: readonly Pending[],
  taskIds: Iterable<string> = world.tasks.keys(),
): void {
  const releasing = new Set(
    owed
      .flatMap(({ effects }) => effects)
      .flatMap((effect) => (effect.kind === 'release-workspace' ? [effect.taskId] : [])),
  );
  for (const each of owed) loop.resume(each.taskId, each);
  for (const taskId of taskIds) {
    const task = world.tasks.get(taskId);
    // Whether a task is over nobody knows while its history cannot be read.
    if (task === undefined || task.problems.some(isAboutUnreadHistory)) continue;
    const { fields } = task;
    if (!isTerminal(fields.status) || fields.workspace === null || releasing.has(fields.id))
      continue;
    const release = {
      kind: 'release-workspace',
      taskId: fields.id,
      session: fields.tmux_session,
      workspace: fields.workspace,
      deleteBranch: false,
    } as const;
    loop.resume(fields.id, { seq: null, effects: [release] });
  }
}
