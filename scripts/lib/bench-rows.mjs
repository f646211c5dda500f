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

export function inMs(ms) {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}
