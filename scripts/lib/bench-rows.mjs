import { median } from './statistics.mjs';

/** A time beside the one it is compared with, and the ratio that may not be passed, if there is one. */
export function ratioRow(what, ms, against, most = 0) {
  const ratio = ms / against.ms;
  const compared = `${ratio.toFixed(2)} × ${against.name} (${inMs(against.ms)})`;
  const row = { what, figure: inMs(ms), compared };
  return most === 0 ? row : { ...row, limit: `≤ ${most} ×`, isMet: ratio <= most };
}

/** A figure with its unit and the most it may be. */
export function limitRow(what, { value, unit, most, digits = 1 }) {
  return {
    what,
    figure: `${value.toFixed(digits)} ${unit}`,
    limit: `≤ ${most} ${unit}`,
    isMet: value <= most,
  };
}

/** Times of which not one may be longer than so many seconds. */
export function worstRow(what, times, mostS = 2) {
  const worst = Math.max(...times);
  const figure = `${inMs(median(times))}, at most ${inMs(worst)}`;
  return { what, figure, limit: `≤ ${mostS} s`, isMet: worst <= mostS * 1000 };
}

export function inMs(ms) {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}

export function percent(share) {
  return `${(share * 100).toFixed(2)} %`;
}
