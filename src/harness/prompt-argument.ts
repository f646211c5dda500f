import { PROMPT_OPENINGS } from '../domain/prompt-openings.js';
import type { AgentAssignment } from './agent-assignment.js';

/** One argv element fails at 128 KiB on Linux; below this bound the prompt itself is handed over. */
export const PROMPT_ARGUMENT_BYTES = 100 * 1024;

/** The prompt as one argument: its text, or for a long one a sentence that points to its file. */
export function promptArgument(assignment: AgentAssignment): string {
  const { prompt, promptFile } = assignment;
  if (Buffer.byteLength(prompt, 'utf8') <= PROMPT_ARGUMENT_BYTES) return prompt;
  return `${PROMPT_OPENINGS.inFile} ${promptFile} because they are long. Read all of it before you do anything else, then follow it.`;
}
