import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from './run-program.mjs';
import { complain, say } from './say.mjs';

const GONE_MS = 5_000;

/** Ends everything the demonstration started, by the home's own sockets only, and removes its folder. */
export async function stopDemo(orange, { folder, home }) {
  const isStopped = !existsSync(join(home, 'run')) || (await orange.stopDaemon());
  await endSessions(join(home, 'run', 'tmux.sock'));
  if (!isStopped) {
    complain(`The demonstration's daemon could not be stopped; its home stays: ${home}`);
    return;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  say(`Stopped everything and removed ${folder}.`);
}

async function endSessions(socket) {
  if (!existsSync(socket)) return;
  const tmux = (...args) => runProgram('tmux', ['-S', socket, ...args], { timeoutMs: 10_000 });
  const { stdout } = await tmux('list-panes', '-a', '-F', '#{pane_pid}');
  await tmux('kill-server');
  const pids = stdout.split('\n').filter(Boolean).map(Number);
  for (const start = performance.now(); performance.now() - start < GONE_MS; ) {
    if (!pids.some(isAlive)) return;
    await pause(50);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
