import { describe, expect, it } from 'vitest';
import { isConversationId } from '../../src/domain/conversation-id.js';

describe('the id of a conversation', () => {
  it.each([
    '0b8f0a52-0f3e-4b57-8e8b-4d0a6f5f1c11',
    'ses_e0e70b407ffe15UEwanEvoFIL8',
    'a'.repeat(128),
  ])('may be %s', (id) => expect(isConversationId(id)).toBe(true));

  it.each([
    ['short', 'c0ffee7'],
    ['long', 'a'.repeat(129)],
    ['an option', '--dangerous'],
    ['an option of one dash', '-rf-rf-rf'],
    ['a path', '../sessions/abc'],
    ['two words', 'abcdefgh ijkl'],
    ['two lines', 'abcdefgh\nijkl'],
    ['ended by a new line', 'abcdefgh\n'],
    ['a shell’s', 'abc$(id)defgh'],
    ['an equation', 'name=value123'],
    ['not ASCII', 'abcdefghä'],
  ])('is not %s', (_, text) => expect(isConversationId(text)).toBe(false));
});
