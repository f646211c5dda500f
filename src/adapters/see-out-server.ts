import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../ports.js';
import { endLeftClients } from './end-left-clients.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import type { ServerFate } from './server-fate.js';
import { type TmuxCommand, type TmuxServer, isTurnedAway, runTmux } from './tmux-command.js';

export type SeeOutParts = {
  readonly tmux: TmuxServer;
  readonly processes: Pick<ProcessTable, 'isAlive' | 'findRunning' | 'findChildren' | 'signal'>;
  readonly fate: ServerFate;
  readonly log?: Log;
  /** How long one without any terminal may take to go. */
  readonly limitMs?: number;
};

/**
 * Sees the server to its end, if it exits: tmux waits for each of its clients, also for one that will
 * never go. Those that dead daemons left are ended; a server that turns everybody away and has no
 * terminal left is ended itself after a while. Gives whether it lives on.
 */
export async function seeOutServer(parts: SeeOutParts, server: ProcessMark): Promise<boolean> {
  const { processes, fate, limitMs = LIMIT_MS } = parts;
  if (await hasGone(parts, server, MOMENT_MS)) return false;
  const startMs = performance.now();
  for (;;) {
    const answer = await runTmux(parts.tmux, [ANY_QUESTION]);
    if (answer.ok) fate.noteServing();
    if (answer.ok || !isTurnedAway(answer.failure)) return processes.isAlive(server);
    fate.noteExiting(server);
    await endLeftClients(parts);
    const leftMs = startMs + limitMs - performance.now();
    if (leftMs <= 0) return !(await endEmptyServer(parts, server));
    if (await hasGone(parts, server, Math.min(leftMs, ROUND_MS))) return false;
  }
}

const ANY_QUESTION: TmuxCommand = ['show-options', '-s', 'exit-empty'];
const LIMIT_MS = 5000;
const ROUND_MS = 1000;
const MOMENT_MS = 100;
const LOOK_MS = 20;

/** Ends a server of which nothing is left but its process; true once that is gone. */
async function endEmptyServer(
  { processes, log }: SeeOutParts,
  server: ProcessMark,
): Promise<boolean> {
  const terminals = await processes.findChildren(server);
  if (!terminals.ok || terminals.value.length > 0) return false;
  // To all but this it is deaf while it exits.
  processes.signal(server, 'SIGKILL');
  log?.write({ event: 'tmux.server-replaced', level: 'warn', pid: server.pid });
  return hasGone({ processes }, server, ROUND_MS);
}

async function hasGone(
  { processes }: Pick<SeeOutParts, 'processes'>,
  server: ProcessMark,
  limitMs: number,
): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs;
  while (processes.isAlive(server)) {
    if (performance.now() > deadlineMs) return false;
    await pause(LOOK_MS);
  }
  return true;
}
