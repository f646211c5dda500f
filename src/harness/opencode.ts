import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { success } from '../domain/result.js';
import { continuesConversation, type Harness } from './harness.js';
import { OPENCODE_PLUGIN, RESUME_PROMPT, RESUMED_SESSION } from './opencode-hooks.js';
import { promptArgument } from './prompt-argument.js';

const PLUGIN_FILE = 'opencode-orange.js';

/**
 * opencode. Its own settings decide what it may do (edits need no approval unless they say so); it
 * has no option for effort, and chooses its conversation ids itself; its plugin tells them, and sends
 * the prompt to one that is resumed.
 */
export const opencode: Harness = {
  name: 'opencode',
  program: 'opencode',
  canResume: true,
  takesSessionId: false,
  env: {},
  hooks: (directory) => ({
    files: { [PLUGIN_FILE]: OPENCODE_PLUGIN },
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        plugin: [pathToFileURL(join(directory, PLUGIN_FILE)).href],
      }),
    },
  }),
  hookFacts: (assignment) =>
    continuesConversation(assignment)
      ? {
          [RESUMED_SESSION]: assignment.harnessSession,
          [RESUME_PROMPT]: assignment.promptFile,
        }
      : {},
  command: (assignment) =>
    success([
      'opencode',
      ...(assignment.model === null ? [] : [`--model=${assignment.model}`]),
      ...(continuesConversation(assignment)
        ? [`--session=${assignment.harnessSession}`]
        : ['--prompt', promptArgument(assignment)]),
    ]),
};
