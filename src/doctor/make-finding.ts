import type { Finding } from '../domain/finding.js';
import type { AgentState, World } from '../domain/world.js';

type Subject = Pick<Finding, 'class' | 'message' | 'remedy' | 'fixable'> & Partial<Finding>;

/** A finding with everything that was not named left open; a warning unless said otherwise. */
export function makeFinding(subject: Subject): Finding {
  return { severity: 'warn', task_id: null, session: null, path: null, pids: [], ...subject };
}

export function isRunning(agent: AgentState): boolean {
  return agent.kind === 'live' || agent.kind === 'starting';
}

/** How a task is called in a sentence. */
export function nameOf(fields: { readonly project: string; readonly branch: string }): string {
  return `${fields.project}/${fields.branch}`;
}

/** Whether a task is known only by the worktree that .pool.json gives it: it is there, but cannot be read. */
export function isWithheld({ withheld }: Pick<World, 'withheld'>, taskId: string): boolean {
  return [...(withheld?.values() ?? [])].some((row) => row.task_id === taskId);
}
