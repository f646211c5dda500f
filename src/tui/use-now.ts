import { useEffect, useState } from 'react';

/** The time, again every so often: ages grow and the spinner turns without anything happening. */
export function useNow(clock: { nowMs(): number }, everyMs: number): number {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return clock.nowMs();
}
