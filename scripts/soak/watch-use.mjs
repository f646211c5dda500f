import { cpuMs, openFiles, rssBytes } from '../lib/process-use.mjs';
import { robustSlope } from '../lib/statistics.mjs';

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
 * Megabytes an hour by which memory grows. Only the lowest figure of each quarter minute counts, since
 * memory rises until it is tidied up, and the slope is one that a few stray points do not bend.
 */
export function memorySlope(samples) {
  const lowest = new Map();
  for (const { atS, rss } of samples) {
    const bucket = Math.floor(atS / BUCKET_S);
    lowest.set(bucket, Math.min(lowest.get(bucket) ?? Number.POSITIVE_INFINITY, rss));
  }
  const points = [...lowest].map(([bucket, rss]) => [(bucket * BUCKET_S) / 3600, rss / MB]);
  return robustSlope(points);
}
