import { join } from 'node:path';
import { success } from '../domain/result.js';
import type { AgentAssignment } from './agent-assignment.js';
import { chosenSessionId, continuesConversation, type Harness } from './harness.js';
import { PI_EXTENSION } from './pi-hooks.js';
import { promptArgument } from './prompt-argument.js';

const EXTENSION_FILE = 'pi-orange.js';

/** pi. It asks for no approvals, and knows options only as two elements (`--model x`). */
export const pi: Harness = {
  name: 'pi',
  program: 'pi',
  canResume: true,
  takesSessionId: true,
  env: {},
  hooks: () => ({ files: { [EXTENSION_FILE]: PI_EXTENSION }, env: {} }),
  command: (assignment) =>
    success([
      'pi',
      '--extension',
      join(assignment.hookDirectory, EXTENSION_FILE),
      ...(assignment.model === null ? [] : ['--model', assignment.model]),
      ...(assignment.effort === null ? [] : ['--thinking', assignment.effort]),
      ...conversation(assignment),
      promptArgument(assignment),
    ]),
};

// `--session-id` opens the conversation of that id, and begins it when there is none yet.
function conversation(assignment: AgentAssignment): readonly string[] {
  const id = continuesConversation(assignment)
    ? assignment.harnessSession
    : chosenSessionId(assignment);
  return id === null ? [] : ['--session-id', id];
}
