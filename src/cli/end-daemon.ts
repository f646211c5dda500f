import { DONE, failed, type Result } from '../domain/result.js';

/** What is needed to see a process go. */
export type ProcessWatch = {
  readonly nowMs: () => number;
  readonly delay: (ms: number) => Promise<void>;
  readonly isProcessAlive: (pid: number) => boolean;
};

/** Waits until a daemon that was asked to stop is gone. */
export async function waitUntilGone(watch: ProcessWatch, pid: number): Promise<Result<void>> {
  const deadlineMs = watch.nowMs() + STOP_LIMIT_MS;
  while (watch.isProcessAlive(pid)) {
    if (watch.nowMs() > deadlineMs) return failed(STILL_THERE);
    await watch.delay(20);
  }
  return DONE;
}

export const STOP_LIMIT_MS = 15_000;

const STILL_THERE = {
  kind: 'waited-too-long',
  what: 'The end of the daemon',
  timeoutSeconds: STOP_LIMIT_MS / 1000,
} as const;
