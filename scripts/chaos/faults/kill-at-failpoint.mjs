import { recipeFor } from '../recipes.mjs';

/** SIGKILL of the daemon by itself at a failpoint; true when it was reached. */
export function killAt(failpoint) {
  return {
    name: `kill at ${failpoint}`,
    group: 'SIGKILL at a failpoint',
    strike: (course) => strikeAt(course, failpoint, 'kill'),
  };
}

/** Lets what reaches the failpoint happen under a daemon that is armed with a fault there. */
export async function strikeAt(course, failpoint, action) {
  const { random, daemon } = course;
  const { prepare, act } = recipeFor(failpoint);
  const prepared = await prepare(course);
  await daemon.end();
  const nth = random.chance(0.6) ? 1 : 1 + random.below(4);
  const isUp = await course.start({ failpoint: `${failpoint}@${nth}:${action}` });
  if (isUp) {
    await act(course, prepared);
    if (daemon.isRunning) await course.settle();
  }
  const wasReached = daemon.reached.length > 0;
  await daemon.end();
  return wasReached;
}
