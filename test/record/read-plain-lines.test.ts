import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readByYaml } from '../../src/record/read-frontmatter.js';
import { readPlainLines } from '../../src/record/read-plain-lines.js';
import { splitFrontmatter } from '../../src/record/split-frontmatter.js';
import { formatNewTask } from '../../src/record/task-file.js';
import { sampleTask } from './sample-task.js';

const RUNS = Number(process.env['ORANGE_TEST_RUNS'] ?? 3000);

/** Pieces that mean something to YAML, beside ones that never do. */
const PIECES = [
  'aZ09/_-.,;!?&*|>%@`\'"\\[]{}()=+~<^$# :\t'.split(''),
  [': ', ' #', ' - ', '- ', '? ', ', ', '  ', '::', ':a', ':#', '# ', '---', '...', '<<', '!!'],
  ['null', 'Null', '~', 'true', '0x1F', '1e3', '2026-01-02T03:04:05.000Z', '12:30:45', '.inf'],
  ['\\n', '\\"', '\\\\', '\\u0041', '\\x41', '\\ ', '\\/', '\\0', '\u00e9', '\u00a0', '\u3000'],
  ['\u2028', '\u200b', '\ufeff', '\u{1F600}', '\ud800', '\r', '\u0085', '\u2003', '__proto__'],
].flat();
const text = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 6 })
  .map((pieces) => pieces.join(''));
const value = fc.oneof(
  text,
  fc.tuple(fc.constantFrom('a', '0', '/'), text).map((parts) => parts.join('')),
  text.map((inner) => `"${inner}"`),
  text.map((inner) => JSON.stringify(inner)),
  text.map((inner) => `'${inner}'`),
  fc.array(text, { maxLength: 4 }).map((words) => `[${words.join(', ')}]`),
  fc.array(fc.constantFrom('a', 'b/c', 'null', '1'), { maxLength: 4 }).map((words) => {
    return `[${words.join(', ')}]`;
  }),
);
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('id', 'summary', 'tags', 'a', 'a_b', 'x1', 'null') },
  text,
);
const line = fc.tuple(key, fc.constantFrom(': ', ': ', ': ', ':', ':  '), value);
const frontmatters = fc
  .array(line, { maxLength: 5 })
  .map((lines) => lines.map((parts) => `${parts.join('')}\n`).join(''));

describe('the short cut for plain frontmatter', () => {
  it('G4 reads exactly what the YAML reader reads, or nothing', () => {
    let taken = 0;
    const isSame = fc.property(frontmatters, (frontmatter) => {
      if (!splitFrontmatter(`---\n${frontmatter}---\n`, 'TASK.md').ok) return;
      const entries = readPlainLines(frontmatter);
      if (entries === null) return;
      taken += Math.sign(entries.length);
      expect(readByYaml(frontmatter, 'TASK.md')).toEqual({ ok: true, entries, diagnostics: [] });
    });
    fc.assert(isSame, { numRuns: RUNS });
    expect(taken).toBeGreaterThan(0);
  });

  it('is taken for the files that orange writes', () => {
    const record = sampleTask({
      summary: 'Fix: the "bug" (again), at 12:30 & more',
      workspace: 'orange--1',
      tmux_session: 'orange/dark-mode',
    });
    const extensions = {
      priority: 'high',
      tags: ['ui', 'a-b'],
      hold: 'not spawned',
      blocked_by: [],
    };
    const split = splitFrontmatter(formatNewTask({ ...record, extensions }), 'TASK.md');
    if (!split.ok) throw new Error('the sample is refused');
    const entries = readPlainLines(split.parts.frontmatter);
    expect(entries).toHaveLength(18);
    expect(readByYaml(split.parts.frontmatter, 'TASK.md')).toMatchObject({ ok: true, entries });
  });

  it.each([
    ['a key twice', 'a: 1\na: 2\n'],
    ['a nested value', 'a: 1\n  b: 2\n'],
    ['a comment', 'a: 1 # one\n'],
    ['an alias', 'a: *b\n'],
    ['a block', 'a: |\n  text\n'],
    ['a map', 'a: { b: c }\n'],
    ['a value on two lines', 'a: "b\n  c"\n'],
    ['a last line that has no end', 'a: b'],
    ['windows line endings', 'a: b\r\n'],
    ['a key without a value', 'a:\n'],
    ['an escape that JSON and YAML may read differently', 'a: "\\u0041"\n'],
    ['more lines than any task has', Array.from({ length: 61 }, (_, n) => `k${n}: v\n`).join('')],
    ['more words than any task has', `tags: [${'a, '.repeat(60)}a]\n`],
  ])('leaves %s to the YAML reader', (_what, frontmatter) => {
    expect(readPlainLines(frontmatter)).toBeNull();
  });
});
