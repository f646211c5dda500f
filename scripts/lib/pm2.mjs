import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, processesOf } from '../chaos/processes.mjs';
import { inCheckout } from './checkout.mjs';
import { npmEnvironment } from './npm-environment.mjs';
import { runStep } from './run-step.mjs';

const VERSION = '6';

/** A pm2 with a home of its own, fetched into .cache/ the first time; it restarts nothing. */
export async function openPm2() {
  const folder = inCheckout('.cache', `pm2-${VERSION}`);
  const manifest = join(folder, 'package.json');
  if (!existsSync(join(folder, 'node_modules/pm2/package.json'))) await fetchPm2(folder, manifest);
  const home = mkdtempSync(join(tmpdir(), 'op-'));
  const child = fork(inCheckout('scripts/lib/pm2-child.mjs'), [manifest], {
    env: { ...process.env, PM2_HOME: home },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const hear = (isIt) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (!isIt(message)) return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
    });
  await hear(({ isReady }) => isReady === true);
  return {
    /** Starts a program; gives its pid. */
    start: async (name, [script, ...args]) => {
      child.send({ start: name, script, args });
      return (await hear(({ started }) => started === name)).pid;
    },
    /** When pm2 noticed that a program ended, on the clock of `monotonicMs`. */
    noticed: async (name) => (await hear(({ ended }) => ended === name)).atMs,
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.send({ isOver: true });
      await gone;
      for (const { pid } of processesOf(home)) endProcess(pid);
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function fetchPm2(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, '{ "private": true }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await runStep('Fetching pm2 for comparison', ['npm', 'install', `pm2@${VERSION}`, ...options], {
    cwd: folder,
    env: npmEnvironment(process.env),
  });
}
