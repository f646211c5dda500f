import { listAgents } from '../oracle/check-processes.mjs';
import { endProcess } from '../processes.mjs';
import { awaitState } from '../wait.mjs';

const group = 'agents that end badly, or will not';

/** Starts such an agent, waits until it is at work, and gives the task up. */
function unruly(worker) {
  return {
    name: `${worker} agent is cancelled`,
    group,
    strike: async (course) => {
      await course.makeRoom();
      const { result } = await course.create({ worker });
      const taskId = result?.task?.fields.id;
      if (taskId === undefined) return false;
      const isUp = await awaitState(
        () => listAgents(course.place.home).some((each) => each.taskId === taskId),
        course.patienceMs,
      );
      const { result: given } = await course.ask({ kind: 'task.cancel', taskId, reason: null });
      return isUp === true && given !== undefined;
    },
  };
}

function killSome(name, isMeant) {
  return {
    name,
    group,
    strike: async (course) => {
      const taskId = await course.liveTask();
      const meant = listAgents(course.place.home).filter(
        (each) => each.taskId === taskId && isMeant(each),
      );
      return meant.filter(({ pid }) => endProcess(pid)).length > 0;
    },
  };
}

export const AGENT_FAULTS = [
  unruly('stubborn'),
  unruly('forker'),
  unruly('zombie'),
  unruly('hasty'),
  killSome('agent killed', () => true),
  {
    name: 'launcher killed',
    group,
    strike: async (course) => {
      await course.liveTask();
      const listed = await course.place.tmux(
        'list-panes',
        '-a',
        '-F',
        '#{@orange_launch} #{pane_pid}',
      );
      const owned = listed.stdout.split('\n').filter((line) => /^\S+ \d+$/.test(line));
      if (owned.length === 0) return false;
      return endProcess(Number(course.random.pick(owned).split(' ')[1]));
    },
  },
];
