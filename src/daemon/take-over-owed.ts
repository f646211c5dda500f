import type { Effect } from '../domain/effect.js';
import { isTerminal } from '../domain/status.js';
import type { Assembly } from './assemble.js';
import { markOwed } from './load-world.js';
import { remainingEffects } from './remaining-effects.js';
import type { Pending, Replayed } from './replay-outbox.js';

/** Finds out what an earlier daemon still owes, and marks it so that nothing is begun twice. */
export function takeOverOwed({ world, machine }: Assembly, replayed: Replayed): readonly Pending[] {
  for (const problem of replayed.damaged) world.problems.set(problem.file, [problem]);
  const remaining = (each: Pending): Pending => {
    return { ...each, effects: remainingEffects(each, world, machine.launches) };
  };
  const first = replayed.owed.map(remaining);
  const mark = (entries: readonly Pending[], isMeant: (effect: Effect) => boolean): void => {
    for (const effect of entries.flatMap(({ effects }) => effects)) {
      if (isMeant(effect)) markOwed(world, effect);
    }
  };
  // Promised worktrees come first: what is to be released may have been given away meanwhile.
  mark(first, ({ kind }) => kind === 'start-agent');
  const owed = first.map(remaining);
  mark(owed, ({ kind }) => kind !== 'start-agent');
  return owed;
}

/** Goes on with the effects of an earlier daemon, and frees what finished tasks still hold. */
export function resumeOwed({ loop, world }: Assembly, owed: readonly Pending[]): void {
  const releasing = new Set(
    owed
      .flatMap(({ effects }) => effects)
      .flatMap((effect) => (effect.kind === 'release-workspace' ? [effect.taskId] : [])),
  );
  for (const each of owed) loop.resume(each.taskId, each);
  for (const { fields } of world.tasks.values()) {
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
