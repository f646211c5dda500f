import { success } from '../domain/result.js';
import { continuesConversation, type Harness } from './harness.js';
import { promptArgument } from './prompt-argument.js';

/**
 * opencode. Its own settings decide what it may do (edits need no approval unless they say so); it
 * has no option for effort, and chooses its conversation ids itself.
 */
export const opencode: Harness = {
  name: 'opencode',
  program: 'opencode',
  canResume: true,
  takesSessionId: false,
  env: {},
  command: (assignment) =>
    success([
      'opencode',
      ...(assignment.model === null ? [] : [`--model=${assignment.model}`]),
      ...(continuesConversation(assignment) ? [`--session=${assignment.harnessSession}`] : []),
      '--prompt',
      promptArgument(assignment),
    ]),
};
