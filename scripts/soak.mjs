import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { awaitState, pause } from './chaos/wait.mjs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { openLivePlace } from './lib/live-place.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { StepFailed } from './lib/step-failed.mjs';
import { SOAK_SCRIPT, STALL_MINUTES } from './soak/agents.mjs';
import { compareLedger, countStuck, START_EVENTS } from './soak/compare.mjs';
import { endTasks } from './soak/endings.mjs';
import { leastLive, reportSoak } from './soak/report.mjs';
import { watchUse } from './soak/watch-use.mjs';

const WARM_UP_MS = 30_000;
const COMEBACK_MS = 15_000;
const CALM_LIMIT_MS = 90_000;
const REST_MS = { first: 15_000, watched: 30_000 };
/** Worktrees that are being cleaned while the next task is already wanted. */
const SPARE_WORKTREES = 10;
/** Restarts are limited to ten a minute for all tasks together, so crashes stay below that. */
const CRASHES_A_MINUTE = 6;
const STEPS_A_MINUTE = 7;
const SILENCE_ODDS = 20;
const PASS_ODDS = 60;
const COUNTED = {
  crashes: ['agent.crashed'],
  starts: START_EVENTS,
  stalls: ['agent.stalled'],
  recoveries: ['agent.resumed'],
};

await runMain(async (argv) => {
  const { minutes, sessions } = readArguments(argv);
  await prepareCheckout();
  await buildIfOlder();
  const odds = `CRASH_ODDS=${crashOdds(sessions)} SILENCE_ODDS=${SILENCE_ODDS} PASS_ODDS=${PASS_ODDS}`;
  const place = await openLivePlace({
    script: `${odds}\n${SOAK_SCRIPT}`,
    poolSize: sessions + SPARE_WORKTREES,
    settings: {
      policy: {
        settle_ms: 300,
        crash_limit: 1000,
        max_review_rounds: 1000,
        respawn_backoff_seconds: [1],
        stall_minutes: STALL_MINUTES,
      },
    },
  });
  try {
    return await soak(place, { minutes, sessions });
  } finally {
    await place.close();
  }
});

function readArguments(argv) {
  const options = { minutes: { type: 'string' }, sessions: { type: 'string' } };
  let values;
  try {
    ({ values } = parseArgs({ args: argv, options }));
  } catch (error) {
    throw new StepFailed(`${error.message}\n\nUsage: npm run soak -- [--minutes M] [--sessions N]`);
  }
  const minutes = Number(values.minutes ?? 15);
  const sessions = Number(values.sessions ?? 100);
  if (!(minutes > 0) || !Number.isSafeInteger(sessions) || sessions < 1) {
    throw new StepFailed('--minutes and --sessions take numbers above 0.');
  }
  return { minutes, sessions };
}

function crashOdds(sessions) {
  return Math.min(150, Math.round((1000 * CRASHES_A_MINUTE) / (sessions * STEPS_A_MINUTE)));
}

async function soak(place, { minutes, sessions }) {
  await place.daemon.start();
  const ids = await withProgress(`Starting ${sessions} sessions`, () =>
    place.createTasks(sessions),
  );
  const endings = endTasks(place, ids);
  await withProgress('Warming up', () => pause(WARM_UP_MS));
  const status = async () => (await place.daemon.client.call({ method: 'status' })).result;
  // The lag is told since it was last asked for.
  await status();
  const before = countEvents(place, ids);
  const use = watchUse(place.daemon.pid);
  await withProgress(`Watching for ${minutes} min`, () => pause(minutes * 60_000));
  const { loop_lag_ms: lag } = await status();
  const seen = use.stop();
  const crowd = subtract(countEvents(place, ids), before);
  const least = leastLive(sessions, countAllStuck(place, ids));
  const live = await countLive(status, least);
  await endings.stop();
  beOver(place);
  const problems = await withProgress('Comparing', () => compareAll(place, ids));
  const restShare = await withProgress('Watching it at rest', () => shareAtRest(place));
  const ended = endings.count();
  const all = [...endings.problems, ...problems];
  return reportSoak({
    ...seen,
    lag,
    live,
    least,
    sessions,
    ended,
    restShare,
    crowd,
    problems: all,
  });
}

/** From now on the agents do nothing, and nobody minds that they are silent. */
function beOver(place) {
  writeFileSync(join(place.root, 'said', 'over'), '');
  const path = join(place.home, 'config.yaml');
  const settings = JSON.parse(readFileSync(path, 'utf8'));
  settings.policy.stall_minutes = [10, 15, 20];
  writeFileSync(path, JSON.stringify(settings, null, 2));
}

/** What the ledgers and the histories disagree about, once nothing happens any more. */
async function compareAll(place, ids) {
  const compare = () =>
    ids.flatMap((id) => {
      const path = join(place.root, 'said', `${id}.ledger`);
      const ledger = existsSync(path) ? readFileSync(path, 'utf8') : '';
      return compareLedger(ledger, place.history(id)).map((problem) => `${id}: ${problem}`);
    });
  await awaitState(() => compare().length === 0, CALM_LIMIT_MS, 500);
  return compare();
}

/** The share of a core while every session is there and nothing happens. */
async function shareAtRest(place) {
  await pause(REST_MS.first);
  const use = watchUse(place.daemon.pid);
  await pause(REST_MS.watched);
  return use.stop().cpuShare;
}

/** How many live sessions there are; one that has just crashed gets the time to come back. */
async function countLive(status, least) {
  const isEnough = async () => (await status()).sessions >= least;
  await awaitState(isEnough, COMEBACK_MS, 500);
  return (await status()).sessions;
}

function countAllStuck(place, ids) {
  return ids.filter((id) => countStuck(place.history(id)) > 0).length;
}

function countEvents(place, ids) {
  const types = ids.flatMap((id) => place.history(id)).map(({ type }) => type);
  const counts = Object.entries(COUNTED).map(([name, wanted]) => [
    name,
    types.filter((type) => wanted.includes(type)).length,
  ]);
  return { all: types.length, ...Object.fromEntries(counts) };
}

function subtract(later, earlier) {
  return Object.fromEntries(
    Object.entries(later).map(([name, number]) => [name, number - earlier[name]]),
  );
}
