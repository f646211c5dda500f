import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';

/** A tmux server of its own, with nothing around it but one control-mode client. */
export async function openBareTmux() {
  const folder = mkdtempSync(join(tmpdir(), 'ot-'));
  const socket = join(folder, 'tmux.sock');
  const tmux = async (...args) => {
    const ended = await runProgram('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      timeoutMs: 30_000,
    });
    if (ended.code !== 0) throw new Error(`tmux ${args[0]}: ${ended.stderr}`);
    return ended.stdout.trim();
  };
  await tmux('new-session', '-d', '-s', 'keep', '--', 'sleep', '1000000');
  const client = spawn('tmux', ['-S', socket, '-C', 'attach', '-t', '=keep'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let onText = null;
  client.stdout.setEncoding('utf8').on('data', (text) => onText?.(text));
  return {
    tmux,
    /** Calls back with whatever the server tells its client. */
    listen: (heard) => {
      onText = heard;
    },
    pid: async () => Number(await tmux('display-message', '-p', '#{pid}')),
    close: async () => {
      client.stdin.end();
      await tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
