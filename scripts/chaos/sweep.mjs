import { Course } from './course.mjs';
import { failpointNames } from './faults/list.mjs';
import { checkHome } from './oracle/check-home.mjs';
import { checkSingleAgents, listAgents } from './oracle/check-processes.mjs';
import { randomFrom } from './random.mjs';
import { groupByRecipe } from './choose-recipe.mjs';

// Every failpoint is reached by what its stage does; a few starts more than points are the rule.
const SPARE_STARTS = 12;

/**
 * The short proof: every failpoint once, SIGKILL there, a new daemon that is armed with those that
 * are left, so that it is killed while it recovers too, and the oracle when a stage is through.
 */
export async function sweepFailpoints({ program, homes, seed }) {
  const stages = groupByRecipe(failpointNames().all)
    .toSorted((one, other) => other.names.length - one.names.length)
    .values();
  const outcome = { problems: [], unreached: [], kills: 0 };
  const work = async (_, home) => {
    const random = randomFrom(`${seed}.${home}`);
    const course = await Course.open({ program, random, secret: `canary-${home}-sweep-secret` });
    try {
      for (let next = stages.next(); !next.done; next = stages.next()) {
        await runStage(course, next.value, outcome);
      }
    } finally {
      await course.close();
    }
  };
  await Promise.all(Array.from({ length: homes }, work));
  return outcome;
}

async function runStage(course, { key, recipe, names }, outcome) {
  const left = new Set(names);
  let prepared = await prepare(course, recipe);
  for (let starts = 0; left.size > 0 && starts < names.length + SPARE_STARTS; starts += 1) {
    const struck = await strike(course, { key, recipe, prepared, left });
    outcome.kills += struck.length;
    const doubled = checkSingleAgents(listAgents(course.place.home));
    outcome.problems.push(...doubled.map(({ text }) => text));
    if (struck.length === 0 && left.size > 0) prepared = await prepare(course, recipe);
  }
  outcome.unreached.push(...left);
  await course.daemon.end();
  outcome.problems.push(...(await judge(course, key)));
}

/** Makes what the recipe needs, under a daemon that is not armed. */
async function prepare(course, recipe) {
  await course.daemon.end();
  await course.start();
  await course.tidy();
  return recipe.prepare(course);
}

/** One start with all that is left armed; gives the failpoints at which the daemon died. */
async function strike(course, { key, recipe, prepared, left }) {
  const { daemon } = course;
  await daemon.end();
  const failpoint = [...left].map((name) => `${name}:kill`).join(',');
  if (await course.start({ failpoint })) {
    // What was begun goes on by itself; only a home at rest needs something new to do.
    const isAtRest = key !== 'create' || (await course.settle()) === null;
    if (isAtRest && daemon.isRunning) await recipe.act(course, prepared);
    if (daemon.isRunning) await course.settle();
  }
  const struck = daemon.reached;
  for (const name of struck) left.delete(name);
  return struck;
}

async function judge(course, key) {
  if (!(await course.start()))
    return [`${key}: the daemon does not start: ${course.daemon.errors}`];
  const unrest = await course.settle();
  const { aside, problems } = await checkHome(course.place, {
    ledger: course.ledger,
    daemonPid: course.daemon.pid,
  });
  return [
    ...(unrest === null ? [] : [`I10 does not come to rest: ${unrest}`]),
    ...course.complaints.splice(0),
    ...[...problems, ...(await course.lives.report())].map(({ text }) => text),
    ...aside.map((name) => `I4 ${name}: was set aside`),
  ].map((problem) => `${key}: ${problem}`);
}
