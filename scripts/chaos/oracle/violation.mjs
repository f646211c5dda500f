/**
 * A broken invariant. Its key says which and of what, without anything that differs from one look to
 * the next (sizes, pids, histories); its text tells the rest.
 */
export function violation(invariant, subject, what) {
  const key = `${invariant} ${subject}`;
  return { key, text: `${key}: ${what}` };
}

/** Those of the later look whose keys the earlier one has too. */
export function lasting(earlier, later) {
  const keys = new Set(earlier.map(({ key }) => key));
  return later.filter(({ key }) => keys.has(key));
}
