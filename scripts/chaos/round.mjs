import { actAtRandom } from './actions.mjs';
import { checkHome } from './oracle/check-home.mjs';
import { checkSingleAgents, listAgents } from './oracle/check-processes.mjs';
import { differences, digest } from './oracle/state-digest.mjs';
import { lasting, violation } from './oracle/violation.mjs';
import { recoveryLimitMs } from './recovery-limit.mjs';
import { pause } from './wait.mjs';

/** What is mended in the background is, by then; nothing shows from outside when it is done. */
const MEND_MS = 4000;
// A worktree that could not be cleaned is tried again in the background, ever less often, and by a
// start at once. So after a fault that may leave one, a start may bring it back before its time.
const OF_WORKTREES = ['pool', 'worktrees', 'refs'];

/**
 * One round: the fault, then a sound daemon, rest, the oracle, and one more start that must change
 * nothing. Gives what was broken, whether the fault struck, and how long it took to come to rest.
 */
export async function runRound(course, fault, { mendMs = MEND_MS } = {}) {
  const { random } = course;
  if (!course.daemon.isRunning && !(await course.start())) return notUp(course, false);
  await course.tidy();
  const acting = random.chance(0.6) ? actAtRandom(course) : null;
  const struck = await strike(course, fault);
  await acting;
  if (!course.daemon.isRunning && !(await course.start())) return notUp(course, struck);
  const early = checkSingleAgents(listAgents(course.place.home));
  const { problems, ...times } = await converge(course, fault, mendMs);
  const found = [...early, ...problems, ...(await course.lives.report())];
  const texts = [...course.complaints.splice(0), ...found.map(({ text }) => text)];
  return { struck, ...times, problems: [...new Set(texts)] };
}

/** Lets the fault happen; where it did not, once more, as a course may have come to where it cannot. */
async function strike(course, fault) {
  const struck = await fault.strike(course);
  if (struck !== false) return struck;
  if (!course.daemon.isRunning && !(await course.start())) return false;
  await course.settle();
  return fault.strike(course);
}

/** I10: comes to rest in time, and a daemon that starts anew finds nothing to do. */
async function converge(course, fault, mendMs) {
  const { unrest, restMs, ownMs } = await course.timeRest();
  const times = { restMs, ownMs };
  if (unrest !== null) return { ...times, problems: [notAtRest(unrest)] };
  const slow = checkRecovery(times);
  const first = await checkTwice(course, fault, mendMs);
  const again = await startAgain(course, { hasAside: fault.maySetAside && first.hasAside });
  const last = await checkTwice(course, fault, mendMs);
  return { ...times, problems: [...slow, ...first.problems, ...again, ...last.problems] };
}

function checkRecovery({ restMs, ownMs }) {
  const limitMs = recoveryLimitMs();
  if (ownMs <= limitMs) return [];
  const what = `${Math.round(ownMs)} ms of its own in ${Math.round(restMs)}, allowed are ${limitMs}`;
  return [violation('I10', 'time to rest', what)];
}

/** One more start, which must change nothing; where worktrees were set aside, nothing but these. */
async function startAgain(course, { hasAside }) {
  const before = await digest(course.place);
  await course.daemon.end(course.random.chance(0.5) ? 'SIGKILL' : 'SIGTERM');
  if (!(await course.start())) return [doesNotStart(course)];
  const { unrest } = await course.timeRest();
  if (unrest !== null) return [notAtRest(`again: ${unrest}`)];
  const changes = differences(before, await digest(course.place));
  if (hasAside && changes.length > 0 && changes.every(({ part }) => OF_WORKTREES.includes(part))) {
    return startAgain(course, { hasAside: false });
  }
  return changes.map(({ text }) => violation('I10', 'one more start', `changes ${text}`));
}

/** What is broken, and still is a little later. */
async function checkTwice({ place, ledger, daemon }, { maySetAside = false }, mendMs) {
  const check = async () => {
    const { problems, aside } = await checkHome(place, { ledger, daemonPid: daemon.pid });
    const given = maySetAside ? [] : aside.map((name) => violation('I4', name, 'was set aside'));
    return { problems: [...problems, ...given], hasAside: aside.length > 0 };
  };
  const first = await check();
  if (first.problems.length === 0) return first;
  await pause(mendMs);
  const second = await check();
  return { ...second, problems: lasting(first.problems, second.problems) };
}

function notAtRest(unrest) {
  return violation('I10', 'rest', `does not come: ${unrest}`);
}

function doesNotStart({ daemon }) {
  const how = JSON.stringify(daemon.ended);
  return violation('I10', 'the daemon', `does not start: ${how} ${daemon.errors}`);
}

function notUp(course, struck) {
  return { struck, problems: [...course.complaints.splice(0), doesNotStart(course).text] };
}
