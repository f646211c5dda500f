import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { awaitState, pause } from './chaos/wait.mjs';
import { buildIfOlder } from './lib/build-bundle.mjs';
import { openLivePlace } from './lib/live-place.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { say } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';
import { table } from './lib/table.mjs';
import { SOAK_SCRIPT } from './soak/agents.mjs';
import { compareLedger } from './soak/compare.mjs';
import { memorySlope, watchUse } from './soak/watch-use.mjs';

const WARM_UP_MS = 30_000;
const CALM_LIMIT_MS = 60_000;
const MB = 2 ** 20;
/** Restarts are limited to ten a minute for all tasks together, so crashes stay below that. */
const CRASHES_A_MINUTE = 6;
const STEPS_A_MINUTE = 7;
const LIMITS = { slopeMbPerHour: 1, driftMb: 8, files: 5, lagMs: 50 };

await runMain(async (argv) => {
  const { minutes, sessions } = readArguments(argv);
  await prepareCheckout();
  await buildIfOlder();
  const place = await openLivePlace({
    script: `CRASH_ODDS=${crashOdds(sessions)}\n${SOAK_SCRIPT}`,
    poolSize: sessions,
    settings: {
      policy: {
        settle_ms: 300,
        crash_limit: 1000,
        max_review_rounds: 1000,
        respawn_backoff_seconds: [1],
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
  await withProgress('Warming up', () => pause(WARM_UP_MS));
  const status = () => place.daemon.client.call({ method: 'status' });
  // The lag is told since it was last asked for.
  await status();
  const use = watchUse(place.daemon.pid);
  await withProgress(`Watching for ${minutes} min`, () => pause(minutes * 60_000));
  const { result } = await status();
  const seen = use.stop();
  writeFileSync(join(place.root, 'said', 'over'), '');
  const problems = await withProgress('Comparing', () => compareAll(place, ids));
  return report({ ...seen, lag: result.loop_lag_ms, problems, crowd: countEvents(place, ids) });
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

function countEvents(place, ids) {
  const types = ids.flatMap((id) => place.history(id)).map(({ type }) => type);
  return { all: types.length, crashes: types.filter((type) => type === 'agent.crashed').length };
}

function report({ samples, cpuShare, tookMs, lag, problems, crowd }) {
  const slope = memorySlope(samples);
  // A short run cannot tell a slope from noise: as much again as it may drift in all is let pass.
  const slopeLimit = LIMITS.slopeMbPerHour + LIMITS.driftMb / (tookMs / 3_600_000);
  const files = samples.map(({ files: open }) => open);
  const growth = files.at(-1) - files[0];
  const rows = [
    ['memory', `${(samples.at(-1).rss / MB).toFixed(1)} MB`, '', true],
    [
      'memory slope',
      `${slope.toFixed(2)} MB/h`,
      `≤ ${slopeLimit.toFixed(1)} MB/h in a run of this length`,
      slope <= slopeLimit,
    ],
    [
      'open files',
      `${files[0]} → ${files.at(-1)}`,
      `± ${LIMITS.files}`,
      Math.abs(growth) <= LIMITS.files,
    ],
    [
      'event loop lag p50 / p99 / max',
      `${lag.p50} / ${lag.p99} / ${lag.max} ms`,
      `p99 ≤ ${LIMITS.lagMs} ms`,
      lag.p99 <= LIMITS.lagMs,
    ],
    ['processor', `${(cpuShare * 100).toFixed(2)} % of a core`, '', true],
    ['events', `${crowd.all}, of them ${crowd.crashes} crashes`, '', true],
    ['missed or doubled events', String(problems.length), '0', problems.length === 0],
  ];
  const cells = rows.map(([what, figure, limit, isMet]) => [
    what,
    figure,
    limit,
    limit === '' ? '' : isMet ? 'yes' : 'NO',
  ]);
  say(`\n${table(cells, ['what', 'figure', 'limit', 'met'])}\n`);
  for (const problem of problems.slice(0, 20)) say(problem);
  const isGood = rows.every(([, , , isMet]) => isMet);
  say(isGood ? 'Everything held.' : 'A limit is missed.');
  return isGood ? 0 : 1;
}
