import { describe, expect, it } from 'vitest';
import { conversationInHookInput, conversationInNotice } from '../../src/cli/told-conversation.js';

const TASK = 'V1StGXR8Z5jdHi6BmyT0a';
const THREAD = '0199aaaa-1111-7222-8333-444455556666';
const NOTICE = {
  type: 'agent-turn-complete',
  'thread-id': THREAD,
  'turn-id': '12345',
  cwd: '/w',
  'input-messages': ['<environment>', `The task (${TASK}) in one line`, 'go on'],
  'last-assistant-message': 'Done.',
};

const inNotice = (changes: object): string | null =>
  conversationInNotice(JSON.stringify({ ...NOTICE, ...changes }), TASK);

describe('the argument of the notify program of Codex', () => {
  it('names the thread', () => {
    expect(inNotice({})).toBe(THREAD);
    expect(inNotice({ client: 'codex-tui', unheard: { of: [] } })).toBe(THREAD);
  });

  it.each([
    ['of a helper, which was never told of the task', { 'input-messages': ['Look at the tests'] }],
    ['of another kind', { type: 'approval-requested' }],
    ['of a version that names no thread', { 'thread-id': undefined }],
    ['with a thread that is no text', { 'thread-id': { id: THREAD } }],
    ['with a thread that would be an option', { 'thread-id': '--dangerously-bypass' }],
    ['without words', { 'input-messages': undefined }],
    ['with words that are no texts', { 'input-messages': [{ text: TASK }] }],
    ['with words that are no list', { 'input-messages': TASK }],
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
