import { setTimeout as pause } from 'node:timers/promises';
import type { Files, Log } from '../ports.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { type TmuxServer, isTurnedAway, runTmux } from './tmux-command.js';

type SocketParts = {
  readonly socket: string;
  readonly files: Files;
  readonly processes: Pick<ProcessTable, 'isAlive' | 'signal'>;
  readonly log?: Log;
};

/** Has a server that lost its socket file make it again, which it does on SIGUSR1; gives whether it is reached. */
export async function reviveSocket(
  parts: SocketParts,
  tmux: TmuxServer,
  server: ProcessMark,
): Promise<boolean> {
  for (let attempt = 0; attempt < 20 && parts.processes.isAlive(server); attempt += 1) {
    parts.processes.signal(server, 'SIGUSR1');
    await pause(50);
    if (isAbsent(parts)) continue;
    const answer = await runTmux(tmux, [['show-options', '-s', 'exit-empty']]);
    if (answer.ok) {
      parts.log?.write({ event: 'tmux.socket-restored', socket: parts.socket, pid: server.pid });
      return true;
    }
    if (isTurnedAway(answer.failure)) return false;
  }
  return false;
}

export function isAbsent({ files, socket }: Pick<SocketParts, 'files' | 'socket'>): boolean {
  const state = files.stat(socket);
  return state.ok && state.value.kind === 'absent';
}
