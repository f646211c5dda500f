import { join } from 'node:path';
import { listProcesses, variable } from '../processes.mjs';
import { isFinal } from './check-history.mjs';
import { violation } from './violation.mjs';

/** The agents of a home, by the marks in their environment. */
export function listAgents(home) {
  return listProcesses()
    .filter((each) => each.environ.includes(`\0ORANGE_HOME=${home}\0`))
    .map((each) => ({
      pid: each.pid,
      cwd: each.cwd,
      command: each.command,
      taskId: variable(each, 'ORANGE_TASK_ID'),
      role: variable(each, 'ORANGE_ROLE'),
      launch: variable(each, 'ORANGE_LAUNCH_ID'),
    }))
    .filter(({ launch }) => launch !== null);
}

/** I3, what holds at any moment: at most one launch of each role lives per task. */
export function checkSingleAgents(agents) {
  const groups = new Map();
  for (const { taskId, role, launch } of agents) {
    const key = `${taskId} ${role}`;
    groups.set(key, (groups.get(key) ?? new Set()).add(launch));
  }
  return [...groups]
    .filter(([, launches]) => launches.size > 1)
    .map(([key, launches]) =>
      violation('I3', key, `lives ${launches.size} times: ${[...launches].join(' ')}`),
    );
}

/** I3, what holds at rest: nobody is in another task's worktree, and finished tasks have nobody. */
export function checkAgentPlaces(home, tasks, agents) {
  const workspaces = join(home, 'workspaces');
  return agents.flatMap((agent) => {
    const task = tasks.find(({ id }) => id === agent.taskId);
    const subject = `${agent.taskId} ${agent.role}`;
    const who = `${agent.role} ${agent.launch} (pid ${agent.pid}, ${agent.command})`;
    if (task === undefined) return [violation('I3', subject, `is gone, but its ${who} lives`)];
    const { status, workspace } = task.fields;
    if (isFinal(status) || status === 'pending') {
      return [violation('I3', subject, `is ${status}, but its ${who} lives`)];
    }
    const [held] = agent.cwd?.startsWith(`${workspaces}/`)
      ? agent.cwd.slice(workspaces.length + 1).split('/')
      : [null];
    return held === null || held.replace(/ \(deleted\)$/, '') === workspace
      ? []
      : [violation('I3', subject, `its ${who} is in ${held}, its worktree is ${workspace}`)];
  });
}
