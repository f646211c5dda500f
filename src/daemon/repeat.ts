export type Repetition = { stop(): void };

/** Does something again and again; how long until the next time is asked each time anew. */
export function repeat(periodMs: () => number, step: (periodMs: number) => void): Repetition {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const ms = periodMs();
    timer = setTimeout(() => {
      // First, so that a bug in one does not end them all.
      wait();
      step(ms);
    }, ms);
  };
  wait();
  return { stop: () => clearTimeout(timer) };
}
