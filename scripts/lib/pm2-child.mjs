import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { monotonicMs } from './monotonic.mjs';

// Started by pm2.mjs with PM2_HOME set: pm2 looks at it while it is loaded, and never lets go of the
// process that uses it.
const pm2 = createRequire(process.argv[2])('pm2');
const ask = (name, ...args) => promisify(pm2[name].bind(pm2))(...args);

await ask('connect');
const bus = await ask('launchBus');
bus.on('process:event', ({ event, process: { name } }) => {
  if (event === 'exit') process.send({ ended: name, atMs: monotonicMs() });
});
process.on('message', async ({ start, script, args, isOver }) => {
  if (isOver) {
    await ask('killDaemon');
    process.exit(0);
  }
  const options = { name: start, script, args, interpreter: 'none', autorestart: false };
  const [started] = await ask('start', options);
  process.send({ started: start, pid: started.pid ?? started.process.pid });
});
process.send({ isReady: true });
