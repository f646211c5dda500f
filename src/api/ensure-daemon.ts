import { setTimeout as pause } from 'node:timers/promises';
import { failed } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import type { Client } from './client.js';

/** A daemon that was just started, seen from outside. */
export type StartedDaemon = {
  /** How it ended with the last line it left, or null while it runs. */
  exit(): { readonly code: number | null; readonly lastLine: string } | null;
};

/** Exit code of a daemon that found its home taken by another one. */
export const HOME_TAKEN_EXIT_CODE = 100;

/** A conversation with the daemon, started if there is none, once it answers. */
export async function ensureDaemon(options: {
  readonly connect: () => Promise<Result<Client>>;
  readonly spawn: () => Promise<Result<StartedDaemon>>;
  readonly deadlineMs?: number;
}): Promise<Result<Client>> {
  const deadline = performance.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
  const first = await options.connect();
  if (first.ok || first.failure.kind !== 'daemon-unreachable') return first;
  const started = await options.spawn();
  if (!started.ok) return started;

  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const exit = started.value.exit();
    const answered = await options.connect();
    if (answered.ok || answered.failure.kind !== 'daemon-unreachable') return answered;
    // Whoever lost the race for the home waits for the winner.
    if (exit !== null && exit.code !== HOME_TAKEN_EXIT_CODE) {
      return failed({ kind: 'daemon-unreachable', reason: explainExit(exit) });
    }
    if (performance.now() >= deadline) return answered;
    await pause(waitMs);
  }
}

const DEFAULT_DEADLINE_MS = 10_000;
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 100;

function explainExit(exit: { readonly code: number | null; readonly lastLine: string }): string {
  return exit.lastLine === '' ? `exit-code-${exit.code ?? 'none'}` : exit.lastLine;
}
