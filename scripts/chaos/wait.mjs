export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for what `look` gives once it is neither null, undefined nor false; undefined at the deadline. */
export async function awaitState(look, deadlineMs, everyMs = 20) {
  const start = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() - start > deadlineMs) return undefined;
    await pause(everyMs);
  }
}
