import { spawn } from 'node:child_process';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { daemonNodeFlags } from '../../lib/daemon-node-flags.mjs';
import { actAtRandom } from '../actions.mjs';
import { listAgents } from '../oracle/check-processes.mjs';
import { pathsBelow } from '../oracle/paths-below.mjs';
import { endProcess } from '../processes.mjs';
import { awaitState, pause } from '../wait.mjs';

const CLOCK = new URL('../shifted-clock.mjs', import.meta.url).href;
const HOUR_MS = 3_600_000;
const STEPS_MS = [HOUR_MS, -HOUR_MS, 30 * 24 * HOUR_MS, -24 * HOUR_MS, 0];
const EXIT_LOCKED = 100;
const EARLIER_BOOT = '00000000-0000-4000-8000-000000000000';

function stopped(forMs) {
  return {
    name: `daemon stopped for ${forMs / 1000} s`,
    group: 'SIGSTOP of the daemon',
    strike: async (course) => {
      const acting = [actAtRandom(course), actAtRandom(course)];
      const wasStopped = await course.daemon.signal('SIGSTOP', forMs, 'SIGCONT');
      await Promise.all(acting);
      return wasStopped;
    },
  };
}

function toldToEnd(signal) {
  return {
    name: `${signal} to the daemon`,
    group: 'SIGTERM, SIGINT, SIGHUP to the daemon',
    strike: async (course) => {
      const acting = [actAtRandom(course), actAtRandom(course)];
      await pause(course.random.below(500));
      await course.daemon.end(signal);
      await Promise.all(acting);
      return true;
    },
  };
}

export const LIFE_FAULTS = [
  {
    name: 'kill at a random moment',
    group: 'SIGKILL at a random moment',
    strike: async (course) => {
      const acting = [actAtRandom(course), actAtRandom(course)];
      await pause(course.random.below(700));
      await course.daemon.end();
      await Promise.all(acting);
      return true;
    },
  },
  stopped(1000),
  stopped(3000),
  stopped(13_000),
  toldToEnd('SIGTERM'),
  toldToEnd('SIGINT'),
  toldToEnd('SIGHUP'),
  {
    name: 'three daemons at once',
    group: 'three daemons at once',
    strike: async (course) => {
      await course.daemon.end();
      const children = [1, 2, 3].map(() => startBare(course.place));
      await awaitState(() => children.filter(({ code }) => code !== undefined).length >= 2, 30_000);
      await pause(200);
      const ended = children.map(({ code }) => code);
      const isOne =
        ended.filter((code) => code === undefined).length === 1 &&
        ended.filter((code) => code === EXIT_LOCKED).length === 2;
      if (!isOne) course.complain(`G6 of three daemons: ${ended.map(String).join(', ')}`);
      for (const { child, code } of children) if (code === undefined) endProcess(child.pid);
      await awaitState(() => children.every(({ code }) => code !== undefined), 20_000);
      return true;
    },
  },
  {
    name: 'reboot',
    group: 'everything killed at once',
    strike: async (course) => {
      await course.liveTask();
      const shown = await course.place.tmux('display-message', '-p', '#{pid}');
      const server = shown.code === 0 ? [Number(shown.stdout)] : [];
      const agents = listAgents(course.place.home).map(({ pid }) => pid);
      // Sent at once; that it has gone is waited for below.
      const ending = course.daemon.end();
      for (const pid of [...server, ...agents]) endProcess(pid);
      await ending;
      await awaitState(() => listAgents(course.place.home).length === 0, 5000);
      return forgetBoot(course.place.home) > 0 && agents.length > 0;
    },
  },
  {
    name: 'clock set forth and back',
    group: 'clock steps',
    strike: async (course) => {
      const file = join(course.place.chaos, 'clock');
      writeFileSync(file, '0');
      await course.daemon.end();
      const isUp = await course.start({
        env: { NODE_OPTIONS: `--import=${CLOCK}`, CHAOS_CLOCK: file },
      });
      if (!isUp) return false;
      for (const stepMs of course.random.shuffle(STEPS_MS).slice(0, 3)) {
        writeFileSync(file, String(stepMs));
        await pause(150);
        await actAtRandom(course);
      }
      return true;
    },
  },
];

/** Makes all that is left on disk say that another boot wrote it; gives how many files did. */
function forgetBoot(home) {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const run = join(home, 'run');
  const stamped = pathsBelow(run)
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => text.includes(boot));
  for (const { path, text } of stamped) writeFileSync(path, text.replaceAll(boot, EARLIER_BOOT));
  return stamped.length;
}

function startBare({ program, env, root }) {
  const entry = join(dirname(program), 'orange-daemon.js');
  const child = spawn(process.execPath, [...daemonNodeFlags(), entry], {
    cwd: root,
    env,
    stdio: 'ignore',
    detached: true,
  });
  const started = { child, code: undefined };
  child.on('exit', (code, signal) => {
    started.code = code ?? signal;
  });
  return started;
}
