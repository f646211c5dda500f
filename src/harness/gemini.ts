import { dirname } from 'node:path';
import { success } from '../domain/result.js';
import { continuesConversation, type Harness } from './harness.js';
import { promptArgument } from './prompt-argument.js';

/**
 * Gemini CLI. It takes hooks from the person's and the project's own settings only, so its screen
 * alone tells whether it waits, and its conversation is known only where the person's own hooks tell
 * it. It has no option for effort. Only its newest versions let the caller choose the conversation id,
 * and older ones refuse to start with the option, so it is not used.
 */
export const gemini: Harness = {
  name: 'gemini',
  program: 'gemini',
  canResume: true,
  takesSessionId: false,
  env: {},
  command: (assignment) =>
    success([
      'gemini',
      // A list option: it must not stand last, or it would swallow the prompt.
      `--include-directories=${dirname(assignment.taskFile)}`,
      '--approval-mode=auto_edit',
      ...(assignment.model === null ? [] : [`--model=${assignment.model}`]),
      ...(continuesConversation(assignment) ? [`--resume=${assignment.harnessSession}`] : []),
      '--prompt-interactive',
      promptArgument(assignment),
    ]),
};
