import { execFileSync } from 'node:child_process';
import { kill } from 'node:process';
import { expect } from 'vitest';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { controlArguments } from '../../src/adapters/tmux-control-client.js';
import { must } from './must.js';

/** Where a server is, and a directory for what a client of it needs. */
export type ServerPlace = {
  readonly root: string;
  readonly socket: string;
  readonly runDir: string;
  tmux(...argv: readonly string[]): string;
};

/** Whoever starts the client is gone at once; its input stays open. */
const ORPHAN = '[ -p "$0" ] || mkfifo "$0"; tmux "$@" 0<> "$0" > /dev/null 2>&1 & echo $!';
const SOON = { timeout: 30_000, interval: 20 };

/** A control client as a daemon leaves it that was killed: it answers nobody and never goes. */
export async function leaveControlClient(place: ServerPlace) {
  const { socket, runDir } = place;
  const argv = must(controlArguments({ socket, conf: `${runDir}/tmux.conf` }));
  return leaveClient(place, argv);
}

/** A client as a person leaves it whose terminal hangs, attached to a session. */
export async function leavePerson(place: ServerPlace, session: string) {
  const target = ['attach-session', '-t', `=${session}:`];
  return leaveClient(place, ['-N', '-C', '-S', place.socket, ...target]);
}

async function leaveClient(place: ServerPlace, argv: readonly string[]) {
  const processes = createProcessTable();
  const script = ['-c', ORPHAN, `${place.root}/input`, ...argv];
  const pid = Number.parseInt(execFileSync('/bin/sh', script, { encoding: 'utf8' }), 10);
  const listed = (): string => `\n${place.tmux('list-clients', '-F', '#{client_pid}')}\n`;
  await expect.poll(listed, SOON).toContain(`\n${pid}\n`);
  kill(pid, 'SIGSTOP');
  const mark = processes.markOf(pid);
  const end = (): void => {
    if (mark !== null) processes.signal(mark, 'SIGKILL');
  };
  return {
    isAlive: () => mark !== null && processes.isAlive(mark),
    end,
    [Symbol.dispose]: end,
  };
}
