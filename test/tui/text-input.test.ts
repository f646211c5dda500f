import { describe, expect, it } from 'vitest';
import {
  EMPTY_INPUT,
  editText,
  inputText,
  inputWindow,
  type TextEdit,
} from '../../src/tui/text-input.js';

const insert = (text: string): TextEdit => ({ kind: 'insert', text });

function after(...edits: readonly TextEdit[]): string {
  const input = edits.reduce(editText, EMPTY_INPUT);
  const shown = [...input.characters];
  shown.splice(input.cursor, 0, '|');
  return shown.join('');
}

describe('a text field', () => {
  const cases: readonly (readonly [string, readonly TextEdit[], string])[] = [
    ['takes text', [insert('abc')], 'abc|'],
    ['inserts at the cursor', [insert('ac'), { kind: 'left' }, insert('b')], 'ab|c'],
    ['deletes backwards', [insert('abc'), { kind: 'delete-back' }], 'ab|'],
    [
      'deletes nothing at the start',
      [insert('ab'), { kind: 'start' }, { kind: 'delete-back' }],
      '|ab',
    ],
    ['deletes forwards', [insert('ab'), { kind: 'start' }, { kind: 'delete-forward' }], '|b'],
    ['deletes nothing at the end', [insert('ab'), { kind: 'delete-forward' }], 'ab|'],
    ['deletes a word', [insert('one two  '), { kind: 'delete-word' }], 'one |'],
    ['deletes to the start', [insert('one'), { kind: 'left' }, { kind: 'delete-to-start' }], '|e'],
    [
      'stops at both ends',
      [insert('a'), { kind: 'right' }, { kind: 'right' }, { kind: 'left' }, { kind: 'left' }],
      '|a',
    ],
    [
      'moves over whole characters',
      [insert('e\u0301🎉'), { kind: 'left' }, { kind: 'left' }],
      '|e\u0301🎉',
    ],
    [
      'joins a mark to the letter before it',
      [insert('e'), insert('\u0301'), { kind: 'delete-back' }],
      '|',
    ],
    ['keeps spaces between words', [insert('a'), insert(' '), insert('b')], 'a b|'],
    ['makes a pasted line break a space', [insert('a\nb\u001B[31mc')], 'a bc|'],
  ];

  it.each(cases)('%s', (_, edits, expected) => {
    expect(after(...edits)).toBe(expected);
  });

  it('keeps the cursor in sight however long the line is', () => {
    const long = editText(EMPTY_INPUT, insert('0123456789'.repeat(5)));
    expect(inputWindow(long, 10)).toEqual({ before: '123456789', at: ' ', after: '' });
    const atStart = editText(long, { kind: 'start' });
    expect(inputWindow(atStart, 10)).toEqual({ before: '', at: '0', after: '123456789' });
    expect(inputText(atStart)).toHaveLength(50);
  });
});
