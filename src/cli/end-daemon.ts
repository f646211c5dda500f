import { DONE, failed, type Result } from '../domain/result.js';
import type { DaemonHolder } from './daemon-holder.js';

/** What is needed to see a process go. */
export type ProcessWatch = {
  readonly nowMs: () => number;
  readonly delay: (ms: number) => Promise<void>;
  readonly isProcessAlive: (pid: number) => boolean;
};

/** Waits until a daemon that was asked to stop is gone. */
export async function waitUntilGone(watch: ProcessWatch, pid: number): Promise<Result<void>> {
  return (await isGone(watch, () => watch.isProcessAlive(pid), STOP_LIMIT_MS))
    ? DONE
    : failed(STILL_THERE);
}

/** Ends a daemon that does not answer: asked to by signal first, killed after a grace. */
export async function endSilently(
  watch: Pick<ProcessWatch, 'nowMs' | 'delay'>,
  holder: DaemonHolder,
): Promise<Result<void>> {
  const isAlive = (): boolean => holder.isAlive();
  holder.signal('SIGTERM');
  // One that is stopped takes note only when it goes on.
  holder.signal('SIGCONT');
  if (await isGone(watch, isAlive, TERM_GRACE_MS)) return DONE;
  holder.signal('SIGKILL');
  return (await isGone(watch, isAlive, STOP_LIMIT_MS)) ? DONE : failed(STILL_THERE);
}

async function isGone(
  watch: Pick<ProcessWatch, 'nowMs' | 'delay'>,
  isAlive: () => boolean,
  limitMs: number,
): Promise<boolean> {
  const deadlineMs = watch.nowMs() + limitMs;
  while (isAlive()) {
    if (watch.nowMs() > deadlineMs) return false;
    await watch.delay(20);
  }
  return true;
}

const STOP_LIMIT_MS = 15_000;
/** A daemon that can still hear the signal needs no more than this to end. */
const TERM_GRACE_MS = 6000;
/** A daemon that is well answers at once that it stops. */
export const ANSWER_LIMIT_MS = 5000;

const STILL_THERE = {
  kind: 'waited-too-long',
  what: 'The end of the daemon',
  timeoutSeconds: STOP_LIMIT_MS / 1000,
} as const;
