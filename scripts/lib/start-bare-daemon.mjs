import { Daemon } from '../chaos/daemon.mjs';
import { inCheckout } from './checkout.mjs';
import { join } from 'node:path';

/** The daemon of a home without agents, once it answers. */
export async function startBareDaemon({ home, folder }) {
  const daemon = new Daemon({
    root: folder,
    program: inCheckout('dist/orange.js'),
    socket: join(home, 'run', 'daemon.sock'),
    env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ORANGE_HOME: home },
  });
  if (!(await daemon.start())) throw new Error(`the daemon does not start: ${daemon.errors}`);
  return daemon;
}
