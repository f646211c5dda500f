/**
 * Calls back once so much time has passed in which this process could look around. While it is
 * stopped, or held up by something else, others may have answered long ago without being heard: such
 * a time counts for one step only, and is followed by another. Gives what calls it off.
 */
export function startAwakeTimer(limitMs: number, onExpired: () => void): () => void {
  const stepMs = limitMs / STEPS;
  let steps = 0;
  let delays = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const startMs = performance.now();
    timer = setTimeout(() => {
      const isLate = performance.now() - startMs > stepMs + LATE_MS;
      steps += 1;
      if (isLate) delays += 1;
      const isLastLook = steps >= STEPS && (!isLate || delays > STEPS);
      if (isLastLook) onExpired();
      else wait();
    }, stepMs);
  };
  wait();
  return () => clearTimeout(timer);
}

const STEPS = 20;
const LATE_MS = 100;
