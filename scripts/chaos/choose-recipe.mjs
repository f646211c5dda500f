import { BY_PREFIX, RECIPES } from './recipes.mjs';

// Points that everything passes: how far into what happens the fault may come.
const COMMON = [
  ['disk.read', 60],
  ['disk.list', 12],
  ['disk.', 8],
  ['command.', 60],
  ['other-file.', 2],
  ['task-file.', 5],
  ['pool-file.', 2],
  ['outbox', 5],
  ['history.', 5],
  ['effect.', 3],
  ['move.', 3],
];
const MIXED = [
  'create',
  'save',
  'crash',
  'failReview',
  'cancel',
  'merge',
  'finalize',
  'pullRequest',
  'rename',
  'requeue',
  'tell',
];

/** The failpoints by what reaches them: `[recipe, names]`. */
export function groupByRecipe(failpoints) {
  const groups = new Map();
  for (const name of failpoints) {
    const key = BY_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'create';
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([key, names]) => ({ key, recipe: RECIPES[key], names }));
}

/** What reaches a failpoint for the first time most surely. */
export function surestRecipeFor(failpoint) {
  const [{ recipe }] = groupByRecipe([failpoint]);
  return { ...recipe, nth: 1 };
}

/** What to do to reach a failpoint, and which time of reaching it is meant. */
export function recipeFor(failpoint, random) {
  const fitting = BY_PREFIX.find(([prefix]) => failpoint.startsWith(prefix));
  if (fitting !== undefined) return { ...RECIPES[fitting[1]], nth: 1 };
  const [, most] = COMMON.find(([prefix]) => failpoint.startsWith(prefix)) ?? ['', 1];
  const recipe = RECIPES[random.chance(0.5) ? 'create' : random.pick(MIXED)];
  return { ...recipe, nth: random.chance(0.4) ? 1 : 1 + random.below(most) };
}
