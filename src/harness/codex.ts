import { dirname } from 'node:path';
import { success } from '../domain/result.js';
import type { AgentAssignment } from './agent-assignment.js';
import { continuesConversation, type Harness } from './harness.js';
import { HOOK_REPORTS } from './hook-report.js';
import { promptArgument } from './prompt-argument.js';

/**
 * OpenAI Codex CLI. It chooses its conversation ids itself, tells them when a turn is over, and can
 * resume one.
 */
export const codex: Harness = {
  name: 'codex',
  program: 'codex',
  canResume: true,
  takesSessionId: false,
  env: {},
  command: (assignment) => {
    const prompt = promptArgument(assignment);
    return success(
      continuesConversation(assignment)
        ? ['codex', 'resume', ...options(assignment), '--', assignment.harnessSession, prompt]
        : ['codex', ...options(assignment), '--', prompt],
    );
  },
};

function options(assignment: AgentAssignment): readonly string[] {
  return [
    '--sandbox=workspace-write',
    '--ask-for-approval=on-request',
    // TASK.md in the worktree is a link into this directory.
    `--add-dir=${dirname(assignment.taskFile)}`,
    // Called with one more argument, which tells what has happened: that a turn is over, and where.
    `--config=notify=${JSON.stringify(['orange', ...HOOK_REPORTS.turnOver])}`,
    ...(assignment.model === null ? [] : [`--model=${assignment.model}`]),
    // The value is read as TOML: quoted, it can be nothing but a string.
    ...(assignment.effort === null
      ? []
      : [`--config=model_reasoning_effort=${JSON.stringify(assignment.effort)}`]),
  ];
}
