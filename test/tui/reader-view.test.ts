import { expect, it } from 'vitest';
import { fileStarts, readerLines } from '../../src/tui/reader-view.js';
import type { Reader } from '../../src/tui/ui-state.js';

function reader(lines: readonly string[], look: Reader['look']): Reader {
  return { kind: 'reader', readerId: Symbol('test'), title: '', look, lines, top: 0 };
}

const DIFF: readonly (readonly [string, string])[] = [
  ['1 commit on search since main:', 'bold'],
  ['  0a1b2c3 Add a field', 'plain'],
  ['diff --git a/x b/x', 'bold'],
  ['--- a/x', 'bold'],
  ['+++ b/x', 'bold'],
  ['@@ -1,2 +1,2 @@', 'cyan'],
  [' kept', 'plain'],
  ['--- a line of SQL that went', 'red'],
  ['+++ a line that came', 'green'],
  ['\\ No newline at end of file', 'dim'],
  ['', 'bold'],
  ['Untracked:', 'bold'],
];

function nameTone({ color, isBold, isDim }: ReturnType<typeof readerLines>[0][0]['tone']): string {
  return color ?? (isBold === true ? 'bold' : isDim === true ? 'dim' : 'plain');
}

it('a diff has its titles, heads, places and changes told apart', () => {
  const lines = readerLines(
    reader(
      DIFF.map(([line]) => line),
      'diff',
    ),
    80,
  );
  expect(lines.map((line) => nameTone(line[0]?.tone ?? {}))).toEqual(DIFF.map(([, tone]) => tone));
});

it('a long line of a diff keeps its colour where it is broken', () => {
  const lines = readerLines(reader(['@@ -1 +1 @@', `+${'long '.repeat(10)}`], 'diff'), 20);
  expect(lines.slice(1).map((line) => line[0]?.tone.color)).toEqual(['green', 'green', 'green']);
});

it('any other text stays plain', () => {
  expect(readerLines(reader(['- an item', '+ one more'], 'text'), 80)).toEqual([
    [{ text: '- an item', tone: {} }],
    [{ text: '+ one more', tone: {} }],
  ]);
});

it('knows where the changes of each file begin, and is not misled by what a file says', () => {
  const lines = ['1 commit:', 'diff --git a/x b/x', '@@ -1 +1 @@', ' diff --git a/y b/y', '+', ''];
  const diff = reader([...lines, 'diff --git a/z b/z', '@@ -1 +1 @@', '-z'], 'diff');
  expect(fileStarts(diff, 80)).toEqual([1, 6]);
});
