import { existsSync, rmSync } from 'node:fs';
import { actAtRandom } from '../actions.mjs';
import { endProcess, isAlive } from '../processes.mjs';
import { pause } from '../wait.mjs';

const group = 'the terminal (tmux)';

async function serverPid(course) {
  const shown = await course.place.tmux('display-message', '-p', '#{pid}');
  return shown.code === 0 ? Number(shown.stdout) : null;
}

async function pickSession(course) {
  await course.liveTask();
  const listed = await course.place.tmux('list-sessions', '-F', '#{@orange_task} #{session_id}');
  const owned = listed.stdout.split('\n').filter((line) => /^\S+ \$/.test(line));
  return owned.length === 0 ? null : course.random.pick(owned).split(' ')[1];
}

/** Whether there was a socket to delete. */
function removeSocket({ place: { tmuxSocket } }) {
  const wasThere = existsSync(tmuxSocket);
  rmSync(tmuxSocket, { force: true });
  return wasThere;
}

export const TERMINAL_FAULTS = [
  {
    name: 'tmux server killed',
    group,
    strike: async (course) => {
      await course.liveTask();
      const pid = await serverPid(course);
      const acting = course.random.chance(0.5) ? actAtRandom(course) : null;
      const wasKilled = pid !== null && endProcess(pid);
      await acting;
      return wasKilled;
    },
  },
  {
    name: 'tmux server stopped',
    group,
    strike: async (course) => {
      await course.liveTask();
      const pid = await serverPid(course);
      if (pid === null) return false;
      const wasStopped = endProcess(pid, 'SIGSTOP');
      const acting = [actAtRandom(course), actAtRandom(course)];
      await pause(course.random.chance(0.7) ? 1500 : 7000);
      if (isAlive(pid)) endProcess(pid, 'SIGCONT');
      await Promise.all(acting);
      return wasStopped;
    },
  },
  {
    name: 'tmux server stopped and its socket deleted',
    group,
    strike: async (course) => {
      await course.liveTask();
      const pid = await serverPid(course);
      if (pid === null) return false;
      const wasStopped = endProcess(pid, 'SIGSTOP');
      const wasThere = removeSocket(course);
      const acting = [actAtRandom(course), actAtRandom(course)];
      await pause(course.random.chance(0.7) ? 1500 : 7000);
      if (isAlive(pid)) endProcess(pid, 'SIGCONT');
      await Promise.all(acting);
      return wasStopped && wasThere;
    },
  },
  {
    name: 'tmux socket deleted',
    group,
    strike: async (course) => {
      await course.liveTask();
      const wasThere = removeSocket(course);
      await actAtRandom(course);
      await course.makeRoom();
      await course.create();
      return wasThere;
    },
  },
  {
    name: 'session killed by the user',
    group,
    strike: async (course) => {
      const session = await pickSession(course);
      if (session === null) return false;
      return (await course.place.tmux('kill-session', '-t', session)).code === 0;
    },
  },
  {
    name: 'session renamed by the user',
    group,
    strike: async (course) => {
      const session = await pickSession(course);
      if (session === null) return false;
      const name = `mine-${course.random.below(1e6)}`;
      const renamed = await course.place.tmux('rename-session', '-t', session, name);
      await actAtRandom(course);
      return renamed.code === 0;
    },
  },
];
