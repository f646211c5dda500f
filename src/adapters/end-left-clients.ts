import { pid as ownPid } from 'node:process';
import type { Log } from '../ports.js';
import type { ProcessTable } from './process-table.js';
import type { TmuxServer } from './tmux-command.js';
import { controlArguments } from './tmux-control-client.js';

/**
 * Ends the control clients that a daemon left behind. tmux 3.3 keeps a client that it could not tell
 * everything: where a window closed in the moment in which the daemon died, the client stays for as
 * long as the server does, and the server then waits for it when it is to exit. Only for a server that
 * is through with them: over two that go before it has let them in it crashes.
 */
export async function endLeftClients(parts: {
  readonly tmux: Pick<TmuxServer, 'socket' | 'conf'>;
  readonly processes: Pick<ProcessTable, 'findRunning' | 'signal'>;
  readonly log?: Log;
}): Promise<void> {
  const { tmux, processes, log } = parts;
  const argv = controlArguments(tmux);
  if (!argv.ok) return;
  const found = await processes.findRunning(['tmux', ...argv.value]);
  if (!found.ok) {
    log?.write({ event: 'tmux.clients-unseen', level: 'warn', failure: found.failure.kind });
    return;
  }
  // One daemon at a time has this home: what is not its own child was a dead one's.
  for (const client of found.value.filter(({ parent }) => parent !== ownPid)) {
    processes.signal(client, 'SIGKILL');
    log?.write({ event: 'tmux.client-ended', pid: client.pid });
  }
}
