import { say } from '../lib/say.mjs';
import { table } from '../lib/table.mjs';
import { memorySlope, secondHalf } from './watch-use.mjs';

const MB = 2 ** 20;
const LIMITS = {
  slopeMbPerHour: 1,
  driftMb: 8,
  files: 5,
  lagMs: 50,
  msPerEvent: 25,
  restShare: 0.03,
};

/** Says what was seen, each figure beside its limit; gives the exit code. */
export function reportSoak(seen) {
  const rows = [...memoryRows(seen), ...loadRows(seen), ...eventRows(seen)];
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

function memoryRows({ samples, tookMs, live, ended }) {
  const whole = memorySlope(samples);
  const late = memorySlope(secondHalf(samples));
  // A short run cannot tell a slope from noise. What it may drift in all is let pass; of the second
  // half, what the points themselves leave open, and no more than that.
  const drift = LIMITS.driftMb / (tookMs / 3_600_000);
  const most = LIMITS.slopeMbPerHour + drift;
  const lateMost = LIMITS.slopeMbPerHour + Math.min(late.offBy, drift);
  const files = samples.map(({ files: open }) => open);
  const isSteady = Math.abs(files.at(-1) - files[0]) <= LIMITS.files;
  const memory = `${(samples[0].rss / MB).toFixed(1)} → ${(samples.at(-1).rss / MB).toFixed(1)} MB`;
  return [
    ['live sessions, tasks that came to an end', `${live}, ${ended}`],
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
      `≤ ${LIMITS.slopeMbPerHour} MB/h, as far as this run can tell: ${lateMost.toFixed(1)}`,
      late.mbPerHour <= lateMost,
    ],
    ['open files', `${files[0]} → ${files.at(-1)}`, `± ${LIMITS.files}`, isSteady],
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

function eventRows({ crowd, tookMs, problems }) {
  const { all, crashes, starts, stalls, recoveries } = crowd;
  const aSecond = (count) => (count / (tookMs / 1000)).toFixed(1);
  const kinds = `${crashes} crashes, ${stalls} stalls, ${recoveries} recoveries`;
  return [
    ['events', `${all} (${aSecond(all)}/s), of them ${kinds}`],
    ['agents started', `${starts} (${aSecond(starts)}/s)`],
    ['missed or doubled events', String(problems.length), '0', problems.length === 0],
  ];
}

function percent(share) {
  return `${(share * 100).toFixed(2)} % of a core`;
}
