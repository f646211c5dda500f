import { isConversationId } from '../domain/conversation-id.js';
import { PROMPT_OPENINGS } from '../domain/prompt-openings.js';

/**
 * The conversation that Codex names in the argument it calls `notify` with. It does so for its helpers
 * too, and marks none of them: for subagents, and for the one that finds a title and is handed the
 * prompt as a quotation. Only in the agent's own has somebody said the prompt itself.
 */
export function conversationInNotice(argument: string, taskId: string): string | null {
  const notice = parseObject(argument);
  if (notice?.['type'] !== 'agent-turn-complete') return null;
  const messages = notice['input-messages'];
  const isTheAgents =
    Array.isArray(messages) &&
    messages.some((message) => typeof message === 'string' && isPrompt(message, taskId));
  return isTheAgents ? asConversationId(notice['thread-id']) : null;
}

function isPrompt(message: string, taskId: string): boolean {
  const openings = Object.values(PROMPT_OPENINGS);
  return openings.some((words) => message.startsWith(words)) && message.includes(taskId);
}

/** The conversation that a hook in the manner of Claude Code is told of on its standard input. */
export function conversationInHookInput(text: string): string | null {
  return asConversationId(parseObject(text)?.['session_id']);
}

/** What comes from an agent program may be anything; what is not an object tells nothing. */
function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  if (text.length > MAX_LENGTH || !/^\s*\{/.test(text)) return null;
  try {
    return asRecord(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value));
}

function asConversationId(value: unknown): string | null {
  return typeof value === 'string' && isConversationId(value) ? value : null;
}

/** More than a program can be handed in one argument. */
const MAX_LENGTH = 1024 * 1024;
