import type { Description, FailureOf } from './description.js';
import type { RestoreRefusal } from './salvage.js';

/** Why saved work was not restored at a place; nothing there was touched. */
export function describeRefusedRestore({
  ref,
  reason,
  place,
}: FailureOf<'restore-refused'>): Description {
  const [message, hint] = REFUSALS[reason](place);
  return { message: `${ref} is not restored: ${message}`, hint };
}

const ELSEWHERE = 'Restore it elsewhere: --into PATH (a new worktree) or --branch NAME.';

const REFUSALS: Readonly<Record<RestoreRefusal, (place: string) => readonly [string, string]>> = {
  'place-taken': (place) => [
    `${place} is there already and is not empty.`,
    'Name another path: --into PATH',
  ],
  'half-restored': (place) => [
    `an earlier restore was cut off in ${place}, and something else is there now.`,
    'Name another path with --into PATH; when nothing in there is needed: git worktree remove --force --force PATH.',
  ],
  'not-clean': (place) => [`${place} has uncommitted changes.`, ELSEWHERE],
  'other-commit': (place) => [
    `${place} does not stand on the commit that the work began from.`,
    ELSEWHERE,
  ],
  'no-worktree': (place) => [`there is no worktree at ${place}.`, ELSEWHERE],
  'branch-exists': (place) => [
    `branch "${place}" exists already.`,
    'Name another branch: --branch NAME',
  ],
  'in-the-way': (place) => [`${place} is in the way.`, ELSEWHERE],
};
