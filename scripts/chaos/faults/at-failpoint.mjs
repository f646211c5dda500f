import { recipeFor, surestRecipeFor } from '../choose-recipe.mjs';
import { pause } from '../wait.mjs';

const SLEEP_MS = 1500;

/** SIGKILL of the daemon by itself at a failpoint. */
export function killAt(failpoint) {
  return {
    name: `kill at ${failpoint}`,
    group: `SIGKILL at ${failpoint.split('.')[0]}.*`,
    strike: async (course) => {
      const wasReached = await strikeAt(course, failpoint, 'kill');
      await course.daemon.end();
      return wasReached;
    },
  };
}

/** A touch of the disk, or a command, that fails once; the daemon has to go on. */
export function throwAt(failpoint, code) {
  return {
    name: `${code} at ${failpoint}`,
    group: `${code} at a failpoint`,
    // A worktree whose cleaning failed is rightly given to nobody until somebody has looked at it.
    maySetAside: true,
    strike: (course) => strikeAt(course, failpoint, `throw:${code}`),
  };
}

/** A daemon that stands still for a while in the middle of something. */
export function sleepAt(failpoint) {
  return {
    name: `sleep at ${failpoint}`,
    group: 'a blocked event loop',
    strike: async (course) => {
      const wasReached = await strikeAt(course, failpoint, `sleep:${SLEEP_MS}`);
      if (wasReached) await pause(SLEEP_MS);
      return wasReached;
    },
  };
}

/**
 * Lets what reaches the failpoint happen under a daemon that is armed with a fault there. It is over as
 * soon as it has struck, and what comes after that is recovery.
 */
async function strikeAt(course, failpoint, action) {
  const isReached = await tryAt(course, recipeFor(failpoint, course.random), failpoint, action);
  if (isReached) return true;
  // The time that was meant did not come; the first one does, and not while that is prepared.
  await course.daemon.end();
  if (!(await course.start())) return false;
  return tryAt(course, surestRecipeFor(failpoint), failpoint, action);
}

async function tryAt(course, { prepare, act, nth }, failpoint, action) {
  const { daemon } = course;
  const prepared = await prepare(course);
  await daemon.end();
  const isUp = await course.start({ failpoint: `${failpoint}@${nth}:${action}` });
  if (isUp) {
    await act(course, prepared);
    if (daemon.isRunning) await course.settle(() => daemon.reached.length > 0);
  }
  return daemon.reached.length > 0;
}
