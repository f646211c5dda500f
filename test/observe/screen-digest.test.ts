import { describe, expect, it } from 'vitest';
import { digestScreen } from '../../src/observe/screen-digest.js';

const FRAME = ['● Reading the style sheets', '', '', '❯', '  ? for shortcuts'];
const withLine = (line: string) => [FRAME[0] ?? '', line, ...FRAME.slice(2)];

describe('digestScreen', () => {
  it.each([
    ['a spinner', '✻ Pondering… (12s · ↑ 1.2k tokens)', '✽ Simmering… (13s · ↑ 1.3k tokens)'],
    ['a braille spinner', '⠋ Working...', '⠙ Working...'],
    ['a bar', '| Building ...', '/ Building ...'],
    ['a classic spinner without an ellipsis', '| thinking 203s', '\\ thinking 204s'],
    ['a spinner behind its words', 'thinking 203s -', 'thinking 204s /'],
    ['a spinner alone', '|', '/'],
    ['a braille spinner without an ellipsis', '⠋ thinking 3s', '⠙ thinking 4s'],
    ['a running clock', 'Elapsed 09:59:59', 'Elapsed 10:00:00'],
    ['a duration', 'running for 59s', 'running for 2m'],
    ['a counter of tokens', '12,345 tokens used', '12,999 tokens used'],
    ['an interrupt hint', '• Working (5s • esc to interrupt)', '◦ Working (6s • esc to interrupt)'],
    ['blank lines', '', '   '],
  ])('F63 does not see %s turn', (_, before, after) => {
    expect(digestScreen(withLine(before))).toBe(digestScreen(withLine(after)));
  });

  it.each([
    ['a new line', '', '● Bash(npm test)'],
    ['a test that passed', 'tests 11 of 90', 'tests 12 of 90'],
    ['another item of a list', '- one', '- two'],
    ['another row of a table', '| shop | 1 |', '| shop | 2 |'],
    ['a spinner with other words', '| thinking 203s', '| writing 204s'],
    ['a spinner that counts something else', '/ fetching 12 of 90', '- fetching 13 of 90'],
    ['words behind a spinner', 'thinking 203s |', 'thinking 204s | ok'],
    ['a prompt', '', 'Do you want to proceed?'],
    ['the end of work', '✻ Pondering…', ''],
  ])('sees %s', (_, before, after) => {
    expect(digestScreen(withLine(before))).not.toBe(digestScreen(withLine(after)));
  });
});
