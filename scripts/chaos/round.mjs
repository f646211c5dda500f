import { actAtRandom } from './actions.mjs';
import { checkHome } from './oracle/check-home.mjs';
import { checkSingleAgents, listAgents } from './oracle/check-processes.mjs';
import { differences, digest } from './oracle/state-digest.mjs';
import { pause } from './wait.mjs';

const MAX_PASSES = 5;
/** What is mended in the background is, by then; nothing shows from outside when it is done. */
const MEND_MS = 4000;

/**
 * One round: the fault, then a sound daemon, rest, the oracle, and a second pass that must change
 * nothing. Gives what was broken, whether the fault struck, and how many passes it took to come to rest.
 */
export async function runRound(course, fault) {
  const { random } = course;
  if (!course.daemon.isRunning && !(await course.start())) return notUp(course, false);
  await course.tidy();
  const acting = random.chance(0.6) ? actAtRandom(course) : null;
  const struck = await fault.strike(course);
  await acting;
  if (!course.daemon.isRunning && !(await course.start())) return notUp(course, struck);
  const early = checkSingleAgents(listAgents(course.place.home));
  const { problems, passes } = await converge(course);
  const checked = await checkTwice(course);
  const aside = fault.maySetAside ? [] : checked.aside.map((name) => `I4 ${name}: was set aside`);
  const complaints = course.complaints.splice(0);
  const found = [...complaints, ...early, ...problems, ...checked.problems, ...aside];
  return { struck, passes, problems: found };
}

/** What is broken, and still is a little later. */
async function checkTwice({ place, ledger, daemon }) {
  const check = () => checkHome(place, { ledger, daemonPid: daemon.pid });
  const first = await check();
  if (first.problems.length === 0) return first;
  await pause(MEND_MS);
  const second = await check();
  const problems = second.problems.filter((problem) => first.problems.includes(problem));
  return { aside: second.aside, problems };
}

function notUp({ daemon }, struck) {
  const how = JSON.stringify(daemon.ended);
  return {
    struck,
    passes: 0,
    problems: [`I10 the daemon does not start: ${how} ${daemon.errors}`],
  };
}

/** I10: comes to rest, and a daemon that starts anew finds nothing to do. */
async function converge(course) {
  let changed = [];
  for (let passes = 1; passes <= MAX_PASSES; passes += 1) {
    const unrest = await course.settle();
    if (unrest !== null) return { passes, problems: [`I10 does not come to rest: ${unrest}`] };
    const before = await digest(course.place);
    await course.daemon.end(course.random.chance(0.5) ? 'SIGKILL' : 'SIGTERM');
    if (!(await course.start())) return notUp(course, true);
    const again = await course.settle();
    if (again !== null) return { passes, problems: [`I10 does not come to rest again: ${again}`] };
    changed = differences(before, await digest(course.place));
    if (changed.length === 0) return { passes, problems: [] };
  }
  const problems = changed.map((change) => `I10 a pass still changes ${change}`);
  return { passes: MAX_PASSES, problems };
}
