import { dirname, join } from 'node:path';
import { success } from '../domain/result.js';
import type { AgentAssignment } from './agent-assignment.js';
import { CLAUDE_HOOKS } from './claude-hooks.js';
import { chosenSessionId, continuesConversation, type Harness } from './harness.js';
import { promptArgument } from './prompt-argument.js';

// What a worker must be able to run without anyone there to approve it. Edits are accepted by the
// permission mode; every other command still asks in the pane.
const WORKER_TOOLS = [
  'Bash(git add:*)',
  'Bash(git commit:*)',
  'Bash(git status:*)',
  'Bash(git diff:*)',
  'Bash(git log:*)',
  'Bash(git show:*)',
  'Bash(orange task update:*)',
  'Bash(orange task show:*)',
  'Bash(orange task ask:*)',
  'Bash(orange task report:*)',
];
const REVIEWER_TOOLS = WORKER_TOOLS.filter((tool) => !/git (add|commit)/.test(tool));

/** Claude Code. */
export const claude: Harness = {
  name: 'claude',
  program: 'claude',
  canResume: true,
  takesSessionId: true,
  // A daemon that was itself started from within Claude Code would pass its mark on, and the new
  // session would refuse to start inside another one.
  env: { CLAUDECODE: null, CLAUDE_CODE_ENTRYPOINT: null },
  transcript: ({ env, cwd, session }) => {
    const home = env['HOME'] ?? '';
    const directory = env['CLAUDE_CONFIG_DIR'] ?? (home === '' ? null : join(home, '.claude'));
    // It names a project's folder after its path, every other character made a dash.
    const project = cwd.replace(/[^A-Za-z0-9]/g, '-');
    return directory === null ? null : join(directory, 'projects', project, `${session}.jsonl`);
  },
  command: (assignment) => success(['claude', ...options(assignment), promptArgument(assignment)]),
};

// The list options swallow what follows them, so each is one `--name=value` element and none is last.
function options(assignment: AgentAssignment): readonly string[] {
  const tools = assignment.role === 'reviewer' ? REVIEWER_TOOLS : WORKER_TOOLS;
  return [
    // TASK.md in the worktree is a link into this directory.
    `--add-dir=${dirname(assignment.taskFile)}`,
    `--allowedTools=${tools.join(',')}`,
    ...(assignment.model === null ? [] : [`--model=${assignment.model}`]),
    ...(assignment.effort === null ? [] : [`--effort=${assignment.effort}`]),
    ...conversation(assignment),
    `--settings=${CLAUDE_HOOKS}`,
    '--permission-mode=acceptEdits',
  ];
}

function conversation(assignment: AgentAssignment): readonly string[] {
  if (continuesConversation(assignment)) return [`--resume=${assignment.harnessSession}`];
  const id = chosenSessionId(assignment);
  return id === null ? [] : [`--session-id=${id}`];
}
