import { actAtRandom } from './actions.mjs';
import { checkHome } from './oracle/check-home.mjs';
import { checkSingleAgents, listAgents } from './oracle/check-processes.mjs';
import { differences, digest } from './oracle/state-digest.mjs';

const MAX_PASSES = 5;

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
  const checked = await checkHome(course.place, {
    ledger: course.ledger,
    daemonPid: course.daemon.pid,
  });
  const aside = fault.maySetAside ? [] : checked.aside.map((name) => `I4 ${name}: was set aside`);
  const complaints = course.complaints.splice(0);
  const found = [...complaints, ...early, ...problems, ...checked.problems, ...aside];
  return { struck, passes, problems: found };
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
