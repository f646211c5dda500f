import { say } from '../lib/say.mjs';
import { median } from '../lib/statistics.mjs';
import { table } from '../lib/table.mjs';
import { memorySlope, secondHalf } from './watch-use.mjs';

const MB = 2 ** 20;
const LIMITS = {
  slopeMbPerHour: 1,
  /** What a daemon that knows 2,000 tasks more takes more, for each of them. */
  mbPerTask: 0.005,
  driftMb: 8,
  files: 5,
  lagMs: 50,
  msPerEvent: 25,
  restShare: 0.03,
};

/** Programs come and go, each with some files; what stays open is in the middle of so many looks. */
const FILE_LOOKS = 30;

/** A run this long with so many sessions cannot do without any of these by chance. */
const SURE = { minutes: 5, sessions: 50 };
/** What has to live at the end, and how many may always be on their way back from a crash. */
const LIVE = { share: 0.9, missing: 3 };

/** How many sessions have to live at the end, where so many tasks have crashed too often to go on. */
export function leastLive(sessions, stuck) {
  const able = sessions - stuck;
  const least = Math.min(Math.ceil(able * LIVE.share), able - LIVE.missing);
  return Math.max(least, Math.min(able, 1));
}

/** Says what was seen, each figure beside its limit; gives the exit code. */
export function reportSoak(seen) {
  const rows = soakRows(seen);
  const cells = rows.map(([what, figure, limit = '', isMet = true]) => [
    what,
    figure,
    limit,
    limit === '' ? '' : isMet ? 'yes' : 'NO',
  ]);
  say(`\n${table(cells, ['what', 'figure', 'limit', 'met'])}\n`);
  for (const problem of seen.problems.slice(0, 20)) say(problem);
  const isGood = rows.every(([, , , isMet = true]) => isMet);
  say(isGood ? 'Everything held.' : 'A limit is missed.');
  return isGood ? 0 : 1;
}

/** Rows of what was seen: its name, the figure, and where it has one its limit and whether that is met. */
export function soakRows(seen) {
  return [...crowdRows(seen), ...memoryRows(seen), ...loadRows(seen), ...eventRows(seen)];
}

function crowdRows({ live, least, sessions }) {
  return [['live sessions at the end', `${live} of ${sessions}`, `≥ ${least}`, live >= least]];
}

function memoryRows({ samples, tookMs, ended }) {
  const whole = memorySlope(samples);
  const late = memorySlope(secondHalf(samples));
  const hours = tookMs / 3_600_000;
  // Every task that came to an end is one more that is known.
  const growth = LIMITS.slopeMbPerHour + (ended * LIMITS.mbPerTask) / hours;
  // A short run cannot tell a slope from noise. What it may drift in all is let pass; of the second
  // half, what the points themselves leave open, and no more than that.
  const drift = LIMITS.driftMb / hours;
  const most = growth + drift;
  const lateMost = growth + Math.min(late.offBy, drift);
  const [before, after] = [samples.slice(0, FILE_LOOKS), samples.slice(-FILE_LOOKS)].map((looks) =>
    median(looks.map(({ files }) => files)),
  );
  const isSteady = Math.abs(after - before) <= LIMITS.files;
  const memory = `${(samples[0].rss / MB).toFixed(1)} → ${(samples.at(-1).rss / MB).toFixed(1)} MB`;
  return [
    ['memory', memory],
    [
      'memory slope, growing up included',
      `${whole.mbPerHour.toFixed(2)} MB/h`,
      `≤ ${most.toFixed(1)} MB/h in a run of this length`,
      whole.mbPerHour <= most,
    ],
    [
      'memory slope in the second half',
      `${late.mbPerHour.toFixed(2)} MB/h ± ${Number.isFinite(late.offBy) ? late.offBy.toFixed(1) : 'anything'}`,
      `≤ ${growth.toFixed(1)} MB/h, as far as this run can tell: ${lateMost.toFixed(1)}`,
      late.mbPerHour <= lateMost,
    ],
    ['open files', `${before} → ${after}`, `± ${LIMITS.files}`, isSteady],
  ];
}

function loadRows({ lag, cpuShare, tookMs, crowd, restShare }) {
  const msPerEvent = ((cpuShare - restShare) * tookMs) / crowd.all;
  return [
    [
      'event loop lag p50 / p99 / max',
      `${lag.p50} / ${lag.p99} / ${lag.max} ms`,
      `p99 ≤ ${LIMITS.lagMs} ms`,
      lag.p99 <= LIMITS.lagMs,
    ],
    ['processor, all that happened included', percent(cpuShare)],
    [
      'processor time per event, beyond that at rest',
      `${msPerEvent.toFixed(1)} ms`,
      `≤ ${LIMITS.msPerEvent} ms`,
      msPerEvent <= LIMITS.msPerEvent,
    ],
    [
      'processor at rest, every session there',
      percent(restShare),
      `≤ ${LIMITS.restShare * 100} % of a core`,
      restShare <= LIMITS.restShare,
    ],
  ];
}

function eventRows({ crowd, tookMs, sessions, ended, problems }) {
  const { all, crashes, starts, stalls, recoveries } = crowd;
  const aSecond = (count) => (count / (tookMs / 1000)).toFixed(1);
  const kinds = Object.entries({ crashes, stalls, recoveries, starts, ends: ended });
  const isSure = tookMs >= SURE.minutes * 60_000 && sessions >= SURE.sessions;
  return [
    ['events', `${all} (${aSecond(all)}/s)`],
    [
      'of them',
      kinds.map(([name, count]) => `${count} ${name}`).join(', '),
      isSure ? 'some of each' : '',
      !isSure || kinds.every(([, count]) => count > 0),
    ],
    ['missed, doubled or made up events', String(problems.length), '0', problems.length === 0],
  ];
}

function percent(share) {
  return `${(share * 100).toFixed(2)} % of a core`;
}
