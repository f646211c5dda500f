import type { Finding } from '../domain/finding.js';
import { isTerminal } from '../domain/status.js';
import type { AgentState, TaskState } from '../domain/world.js';
import { isRunning, isWithheld, makeFinding, nameOf } from './make-finding.js';
import type { LaunchedProcess, Survey } from './survey.js';

/**
 * Agent processes that outlived their window or their task. One that still has its window belongs to
 * its session, which is judged on its own.
 */
export function findOrphanProcesses(survey: Survey): readonly Finding[] {
  const { processes, terminal, world } = survey;
  if (processes === null || terminal.kind !== 'listed') return [];
  const windowed = new Set(
    terminal.sessions.flatMap(({ launches }) => launches.map(({ launchId }) => launchId)),
  );
  return [...byLaunch(processes)].flatMap(([launchId, members]): readonly Finding[] => {
    const taskId = members[0]?.taskId ?? '';
    if (windowed.has(launchId) || isWithheld(world, taskId)) return [];
    const task = world.tasks.get(taskId);
    const judged = task === undefined ? UNKNOWN : judge(task, launchId, members);
    if (judged === null) return [];
    const pids = members.map(({ pid }) => pid);
    return [
      makeFinding({
        class: 'orphan-process',
        message: `${describe(pids)} ${judged.why(task === undefined ? taskId : nameOf(task.fields))}`,
        remedy: judged.remedy,
        fixable: judged.fixable,
        task_id: taskId,
        pids,
      }),
    ];
  });
}

type Judgement = {
  readonly why: (name: string) => string;
  readonly remedy: string;
  readonly fixable: Finding['fixable'];
};

const END = 'End it: orange doctor --fix orphan-process';
const BY_ITSELF = 'The daemon ends it by itself; at once: orange doctor --fix orphan-process';

const UNKNOWN: Judgement = {
  why: (name) => `of task ${name} outlived it: no such task is known`,
  remedy: END,
  fixable: 'with-fix',
};
const OVER: Judgement = {
  why: (name) => `of ${name} outlived the task, which is over`,
  remedy: BY_ITSELF,
  fixable: 'safe',
};
const REPLACED: Judgement = {
  why: (name) => `of an earlier start of ${name} outlived its window`,
  remedy: BY_ITSELF,
  fixable: 'safe',
};
const LEFT_BEHIND: Judgement = {
  why: (name) => `of ${name} outlived the agent that started it`,
  remedy: END,
  fixable: 'with-fix',
};
const WINDOWLESS: Judgement = {
  why: (name) => `of ${name} lost its window, so nobody can see it`,
  remedy: `${BY_ITSELF}. It is no crash: policy.after_interruption says what follows`,
  fixable: 'safe',
};
/** It may be in a window that somebody made for it. */
const ELSEWHERE: Judgement = {
  why: (name) => `of ${name} is not in its window`,
  remedy: `${END}. It is no crash: policy.after_interruption says what follows`,
  fixable: 'with-fix',
};

/** Null: this process is where it belongs, or somebody is at it just now. */
function judge(
  task: TaskState,
  launchId: string,
  members: readonly LaunchedProcess[],
): Judgement | null {
  if (task.activity !== null) return null;
  if (isTerminal(task.fields.status)) return OVER;
  const agents = [task.worker, task.reviewer];
  const own = agents.find((agent) => launchOf(agent) === launchId);
  if (own === undefined) return agents.some(isRunning) ? REPLACED : LEFT_BEHIND;
  if (!isRunning(own)) return LEFT_BEHIND;
  return members.every(({ hasTerminal }) => hasTerminal === false) ? WINDOWLESS : ELSEWHERE;
}

function launchOf(agent: AgentState): string | null {
  return agent.kind === 'absent' ? null : agent.launchId;
}

function describe(pids: readonly number[]): string {
  return pids.length === 1 ? `process ${pids[0]}` : `processes ${pids.join(', ')}`;
}

function byLaunch(
  processes: readonly LaunchedProcess[],
): ReadonlyMap<string, readonly LaunchedProcess[]> {
  const launches = new Map<string, LaunchedProcess[]>();
  for (const process of processes) {
    const members = launches.get(process.launchId) ?? [];
    members.push(process);
    launches.set(process.launchId, members);
  }
  return launches;
}
