import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// What other supervisors do: every 500 ms the screen of every session, by a program each. Run as
// `node capture-loop.mjs SOCKET SESSION ...` until it is ended.
const EVERY_MS = 500;
const [socket, ...sessions] = process.argv.slice(2);
const run = promisify(execFile);

async function look() {
  for (const session of sessions) {
    await run('tmux', ['-S', socket, 'capture-pane', '-p', '-t', `=${session}:`]).catch(() => null);
  }
}

for (;;) {
  const start = performance.now();
  await look();
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS - (performance.now() - start)));
}
