import { describe, expect, it } from 'vitest';
import { PROMPT_ARGUMENT_BYTES, promptArgument } from '../../src/harness/prompt-argument.js';
import { resumePrompt, workerPrompt } from '../../src/harness/prompts.js';
import { assignment } from '../harness/assignment.js';
import { conversationInHookInput, conversationInNotice } from '../../src/cli/told-conversation.js';

const TASK = 'V1StGXR8Z5jdHi6BmyT0a';
const THREAD = '0199aaaa-1111-7222-8333-444455556666';
const PROMPT = `You are the worker on one task in the project shop.\n\nThe task (${TASK}) in one line`;
const NOTICE = {
  type: 'agent-turn-complete',
  'thread-id': THREAD,
  'turn-id': '12345',
  cwd: '/w',
  'input-messages': ['<environment>', PROMPT, 'go on'],
  'last-assistant-message': 'Done.',
};

const FACTS = {
  taskId: TASK,
  project: 'shop',
  branch: 'dark-mode',
  base: 'main',
  taskFile: `/home/u/orange/tasks/shop/${TASK}/TASK.md`,
  summary: 'Add a dark theme',
  reviewRound: 0,
  status: 'planning',
  news: null,
} as const;
const LONG = assignment({
  prompt: 'x'.repeat(PROMPT_ARGUMENT_BYTES + 1),
  promptFile: `/home/u/orange/run/${TASK}/worker.prompt`,
});

const inNotice = (changes: object): string | null =>
  conversationInNotice(JSON.stringify({ ...NOTICE, ...changes }), TASK);

describe('the argument of the notify program of Codex', () => {
  it.each([
    ['begins', workerPrompt(FACTS)],
    ['resumes', resumePrompt(FACTS)],
    ['has its instructions in a file', promptArgument(LONG)],
  ])('names the thread of an agent that %s', (_, prompt) => {
    expect(inNotice({ 'input-messages': [prompt] })).toBe(THREAD);
  });

  it('names the thread in whatever else it says', () => {
    expect(inNotice({})).toBe(THREAD);
    expect(inNotice({ client: 'codex-tui', unheard: { of: [] } })).toBe(THREAD);
  });

  it.each([
    ['of a helper', { 'input-messages': [`Look at the tests of the task ${TASK}`] }],
    ['of the helper for titles', { 'input-messages': [`Find a title. User prompt:\n${PROMPT}`] }],
    ['of another task', { 'input-messages': [PROMPT.replace(TASK, 'other')] }],
    ['of another kind', { type: 'approval-requested' }],
    ['of a version that names no thread', { 'thread-id': undefined }],
    ['with a thread that is no text', { 'thread-id': { id: THREAD } }],
    ['with a thread that would be an option', { 'thread-id': '--dangerously-bypass' }],
    ['without words', { 'input-messages': undefined }],
    ['with words that are no texts', { 'input-messages': [{ text: PROMPT }] }],
    ['with words that are no list', { 'input-messages': PROMPT }],
  ])('%s tells nothing', (_, changes) => expect(inNotice(changes)).toBeNull());

  it.each([
    '',
    'shop/dark-mode',
    '{',
    '[]',
    'null',
    '"text"',
    JSON.stringify(NOTICE).slice(0, -1),
    `${JSON.stringify(NOTICE)}${' '.repeat(1024 * 1024)}`,
  ])('that is none tells nothing (%#)', (text) =>
    expect(conversationInNotice(text, TASK)).toBeNull(),
  );
});

describe('what a hook reads', () => {
  it('names the session', () => {
    const input = { session_id: THREAD, hook_event_name: 'Stop' };
    expect(conversationInHookInput(`${JSON.stringify(input)}\n`)).toBe(THREAD);
  });

  it.each(['', 'hello', '{"session_id":7}', '{"session_id":"../../x"}', '{"session":"abcdefgh"}'])(
    'like %j tells nothing',
    (text) => expect(conversationInHookInput(text)).toBeNull(),
  );
});
