import { cpuMs, openFiles, rssBytes } from '../lib/process-use.mjs';
import { median, robustSlope } from '../lib/statistics.mjs';

const BUCKET_S = 15;
const MB = 2 ** 20;

/** Looks at a process again and again: its memory, its open files, its processor time. */
export function watchUse(pid, everyMs = 1000) {
  const start = { ms: performance.now(), cpuMs: cpuMs(pid) };
  const samples = [];
  const look = () => {
    const atS = (performance.now() - start.ms) / 1000;
    samples.push({ atS, rss: rssBytes(pid), files: openFiles(pid) });
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      const tookMs = performance.now() - start.ms;
      return { samples, cpuShare: (cpuMs(pid) - start.cpuMs) / tookMs, tookMs };
    },
  };
}

/**
 * Megabytes an hour by which memory grows, and how far off that may be. Only the lowest figure of each quarter minute counts, since memory rises until it is tidied
 * up, and the slope is one that a few stray points do not bend. How far off: twice the error that a
 * line through as many points has, when they lie about it as far as these do; of too few, anything.
 */
export function memorySlope(samples) {
  const lowest = new Map();
  for (const { atS, rss } of samples) {
    const bucket = Math.floor(atS / BUCKET_S);
    lowest.set(bucket, Math.min(lowest.get(bucket) ?? Number.POSITIVE_INFINITY, rss));
  }
  const points = [...lowest].map(([bucket, rss]) => [(bucket * BUCKET_S) / 3600, rss / MB]);
  const slope = robustSlope(points);
  return { mbPerHour: slope, offBy: 2 * errorOf(points, slope) };
}

/** What was seen when all that only grows at first has grown. */
export function secondHalf(samples) {
  const middle = samples.at(-1).atS / 2;
  return samples.filter(({ atS }) => atS >= middle);
}

function errorOf(points, slope) {
  if (points.length < LEAST_POINTS) return Number.POSITIVE_INFINITY;
  const heights = points.map(([x, y]) => y - slope * x);
  const level = median(heights);
  const off = heights.map((height) => height - level);
  const spread = SIGMA_OF_MAD * median(off.map(Math.abs));
  const hours = points.at(-1)[0] - points[0][0];
  return (spread * Math.sqrt(12 / independent(off))) / hours;
}

/** As how many independent points these count: each that lies where the one before it lies says less. */
function independent(off) {
  const squares = off.reduce((sum, each) => sum + each * each, 0);
  if (squares === 0) return off.length;
  const pairs = off.slice(1).reduce((sum, each, before) => sum + each * off[before], 0);
  const likeness = Math.min(0.9, Math.max(0, pairs / squares));
  return (off.length * (1 - likeness)) / (1 + likeness);
}

// Fewer say nothing about how far off they are.
const LEAST_POINTS = 12;
// For values that lie about their middle as most errors do.
const SIGMA_OF_MAD = 1.4826;
