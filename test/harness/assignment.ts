import type { AgentAssignment } from '../../src/harness/agent-assignment.js';

/** A worker's first start, with what the test cares about changed. */
export function assignment(changes: Partial<AgentAssignment> = {}): AgentAssignment {
  return {
    role: 'worker',
    taskId: 'T1',
    taskFile: '/home/u/orange/tasks/p/T1/TASK.md',
    branch: 'fix/login',
    prompt: 'Do it.',
    promptFile: '/home/u/orange/run/T1/prompt.md',
    hookDirectory: '/home/u/orange/run/hooks',
    effort: null,
    model: null,
    harnessSession: null,
    isResuming: false,
    ...changes,
  };
}
