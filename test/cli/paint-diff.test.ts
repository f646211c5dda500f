import { describe, expect, it } from 'vitest';
import { paintDiff } from '../../src/cli/paint-diff.js';
import { renderText } from '../../src/cli/paint.js';

const [RED, GREEN, CYAN, BOLD, END] = ['31', '32', '36', '1', '0'].map((code) => `\u001b[${code}m`);

function shown(lines: readonly string[], form: 'full' | 'stat' | 'names' = 'full'): string[] {
  return renderText(paintDiff(lines.join('\n'), form), 'colors').split('\n');
}

describe('a patch', () => {
  it('has the colours of its lines, whatever the files hold', () => {
    expect(
      shown([
        'diff --git a/x b/x',
        '--- a/x',
        '+++ b/x',
        '@@ -1,3 +1,3 @@ function f() {',
        ' same',
        '--- a comment of SQL',
        '+++ i',
        '\\ No newline at end of file',
        'diff --git a/y b/y',
      ]),
    ).toEqual([
      `${BOLD}diff --git a/x b/x${END}`,
      `${BOLD}--- a/x${END}`,
      `${BOLD}+++ b/x${END}`,
      `${CYAN}@@ -1,3 +1,3 @@${END} function f() {`,
      ' same',
      `${RED}--- a comment of SQL${END}`,
      `${GREEN}+++ i${END}`,
      '\\ No newline at end of file',
      `${BOLD}diff --git a/y b/y${END}`,
    ]);
  });

  it('shows what would steer the terminal or hide from its reader', () => {
    const lines = [
      '@@ -1 +1 @@',
      '-\u001b]0;title\u0007\u001b[32m+fine',
      '+a\ue000\ue002b\u202ec\r',
    ];
    expect(shown(lines).slice(1)).toEqual([
      `${RED}-^[]0;title^G^[[32m+fine${END}`,
      `${GREEN}+a<U+E000><U+E002>b<U+202E>c^M${END}`,
    ]);
  });

  it('does not show the line ends of Windows where nothing changed', () => {
    expect(shown(['@@ -1 +1 @@\r', ' same\r']).slice(1)).toEqual([' same']);
  });
});

it('a summary has its signs in colour', () => {
  expect(
    shown([' a | b.txt | 12 ++--', ' c | Bin 0 -> 7 bytes', ' 2 files changed'], 'stat'),
  ).toEqual([
    ` a | b.txt | 12 ${GREEN}++${END}${RED}--${END}`,
    ' c | Bin 0 -> 7 bytes',
    ' 2 files changed',
  ]);
});

it('names are shown as they are', () => {
  expect(shown(['-a', '+b'], 'names')).toEqual(['-a', '+b']);
});
