import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setSection } from '../../src/record/sections.js';
import { parseTaskFile } from '../../src/record/task-file.js';
import { validateTask } from '../../src/record/validate-task.js';
import { leastCpuMs } from '../rigs/measure-cpu.js';
import { SAMPLE_TEXT } from './sample-task.js';

const FILE = 'TASK.md';
const REST = 'id: abc\nproject: p\n---\n';
// A generous multiple of the 20 ms goal, which `npm run fuzz` holds: freezes take seconds.
const LIMIT_MS = 250;
const BODY_LIMIT_MS = 2000;

let directory = '';
let canary = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'orange-hostile-'));
  canary = join(directory, 'canary');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function rejection(text: string): string {
  const reading = parseTaskFile(text, FILE, { expected: { id: 'abc', project: 'p' } });
  expect(readingTime(text)).toBeLessThan(LIMIT_MS);
  if (reading.ok) return 'accepted';
  expect(reading.diagnostics[0]?.fix).not.toBe('');
  return reading.diagnostics[0]?.code ?? 'no diagnostic';
}

function readingTime(text: string): number {
  return leastCpuMs(() => {
    parseTaskFile(text, FILE);
    validateTask(text, FILE);
  }, LIMIT_MS);
}

describe('a hostile TASK.md is refused with a diagnostic', () => {
  it.each([
    'js',
    'javascript',
    'JS',
    'JavaScript',
    ' js',
    'js ',
    ' javascript',
    '\tjs',
    'json',
    'coffee',
    'toml',
    'toString',
    'constructor',
    'hasOwnProperty',
    '__proto__',
    'yaml',
    ' ',
    '-',
  ])('F29 an opening line `---%s` runs nothing', (language) => {
    const code = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, 'x')`;
    for (const eol of ['\n', '\r\n', '\r']) {
      const text = [`---${language}`, `(${code}, {id: 'abc'})`, '---', ''].join(eol);
      expect(rejection(text)).toBe('ORA010');
      expect(rejection(`\uFEFF${text}`)).toBe('ORA010');
    }
    expect(rejection(`---\nid: abc\n---${language}\n${REST}`)).toMatch(/ORA01[15]/);
    expect(existsSync(canary)).toBe(false);
  });

  it.each([
    ['F37 alias bomb', `---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n${REST}`, 'ORA017'],
    ['F37 self reference', `---\na: &a [*a]\n${REST}`, 'ORA017'],
    ['merge key', `---\na: &a {x: y}\nb: {<<: *a}\n${REST}`, 'ORA017'],
    ['anchor on a plain value', `---\nstatus: &x working\n${REST}`, 'ORA017'],
    ['duplicate keys', `---\nstatus: done\nstatus: working\n${REST}`, 'ORA019'],
    ['duplicate nested keys', `---\nx: {a: b, a: c}\n${REST}`, 'ORA019'],
    ['duplicate quoted key', `---\nstatus: done\n"status": working\n${REST}`, 'ORA019'],
    ['F37 5,000 open brackets', `---\na: ${'['.repeat(5000)}\n${REST}`, 'ORA018'],
    ['5,000 open braces', `---\na: ${'{a: '.repeat(3000)}\n${REST}`, 'ORA018'],
    ['8,000 nested dashes', `---\na:\n ${'- '.repeat(7000)}\n${REST}`, 'ORA018'],
    ['8,000 question marks', `---\n${'? '.repeat(7000)}\n${REST}`, 'ORA018'],
    ['alternating indicators', `---\n${'? - '.repeat(4000)}\n${REST}`, 'ORA018'],
    [
      'nesting by indentation',
      `---\n${Array.from({ length: 170 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')}\n${REST}`,
      'ORA018',
    ],
    [
      'thousands of keys',
      `---\n${Array.from({ length: 2500 }, (_, n) => `${n}:`).join('\n')}\n${REST}`,
      'ORA018',
    ],
    ['thousands of items', `---\na: [${'x,'.repeat(8000)}]\n${REST}`, 'ORA018'],
    ['closing brackets', `---\na: ${']'.repeat(10_000)}\n${REST}`, 'ORA016'],
    ['commas', `---\na: [${','.repeat(10_000)}\n${REST}`, 'ORA016'],
    ['tags', `---\na: ${'! '.repeat(5000)}\n${REST}`, 'ORA017'],
    ['a tag that names code', `---\na: !!js/function 'x'\n${REST}`, 'ORA017'],
    ['directives', `---\n${'%A\n'.repeat(5000)}${REST}`, 'ORA018'],
    ['blank lines', `---\n${'\n'.repeat(10_000)}${REST}`, 'ORA013'],
    ['lines of spaces', `---\n${' \n'.repeat(8000)}${REST}`, 'ORA013'],
    ['a frontmatter of 20 KB', `---\na: ${'x'.repeat(20_000)}\n${REST}`, 'ORA012'],
    ['F30 200 KB of blank lines, never closed', `---\n${'\n'.repeat(200_000)}`, 'ORA011'],
    ['F30 200 KB of spaces, never closed', `---\n${' \n'.repeat(100_000)}`, 'ORA011'],
    ['a file of 300 KB', `---\n${REST}${'x'.repeat(300_000)}`, 'ORA002'],
    ['F31 a file of 50 MB', 'x'.repeat(50_000_000), 'ORA002'],
    ['a file of 256 KiB in multi-byte characters', `---\n${REST}${'ü'.repeat(140_000)}`, 'ORA002'],
    ['F31 NUL in the body', `---\n${REST}a\0b`, 'ORA003'],
    ['NUL in the frontmatter', `---\na: \0\n${REST}`, 'ORA003'],
    ['F31 UTF-16 read as UTF-8', SAMPLE_TEXT.split('').join('\0'), 'ORA003'],
    ['F31 two byte order marks', `\uFEFF\uFEFF${SAMPLE_TEXT}`, 'ORA010'],
    ['a leading line break', `\n${SAMPLE_TEXT}`, 'ORA010'],
    ['a leading space', ` ${SAMPLE_TEXT}`, 'ORA010'],
    ['nothing at all', '', 'ORA005'],
    ['F13 blanks and NULs alone', ' \n\0\0\n', 'ORA005'],
    ['no frontmatter', '## Plan\n\nAPPROACH: x\n', 'ORA010'],
    ['lines ended by CR alone', SAMPLE_TEXT.replaceAll('\n', '\r'), 'ORA010'],
    ['four dashes', SAMPLE_TEXT.replace('---', '----'), 'ORA010'],
    ['an escape sequence', `---\nsummary: \u001B[31mred\n${REST}`, 'ORA014'],
    ['a bell', `---\nsummary: a\u0007b\n${REST}`, 'ORA014'],
    ['a hidden line separator', `---\nsummary: a\u2028status: done\n${REST}`, 'ORA014'],
    ['a CR inside a line', `---\nsummary: a\rstatus: done\n${REST}`, 'ORA014'],
    ['a second document', `---\na: b\n--- \nc: d\n${REST}`, 'ORA015'],
    ['a document end', `---\na: b\n...\nc: d\n${REST}`, 'ORA016'],
    ['an unquoted colon', `---\nsummary: Fix: the bug\n${REST}`, 'ORA016'],
    ['an unclosed quote', `---\nsummary: "open\n${REST}`, 'ORA016'],
    ['a tab for indentation', `---\na:\n\tb: c\n${REST}`, 'ORA016'],
    ['a list instead of keys', '---\n- a\n---\n', 'ORA020'],
    ['a flow map instead of lines', '---\n{id: abc, project: p}\n---\n', 'ORA020'],
    ['a text instead of keys', '---\nhello\n---\n', 'ORA020'],
    ['indented keys', '---\n  id: abc\n  project: p\n---\n', 'ORA020'],
    ['an explicit key', '---\n? id\n: abc\n---\n', 'ORA020'],
    ['a map as a key', `---\n{a: b}: c\n${REST}`, 'ORA020'],
    ['thousands of colons', `---\nx: {a: ${': '.repeat(900)}b}\n${REST}`, 'ORA016'],
    ['a list as status', `---\nstatus: [done]\n${REST}`, 'ORA032'],
    ['a map as summary', `---\nsummary: {a: b}\n${REST}`, 'ORA032'],
    ['F34 an unknown status', `---\nstatus: finished\n${REST}`, 'ORA033'],
    ['F34 another task`s id', '---\nid: other\nproject: p\n---\n', 'ORA031'],
    ['an id that climbs', '---\nid: ../../x\nproject: p\n---\n', 'ORA036'],
  ])('%s', (_, text, code) => {
    expect(rejection(text)).toBe(code);
  });

  it.each([
    ['thousands of sections', '## Plan\nRISKS:\n'.repeat(15_000)],
    ['thousands of near misses', 'Plan:\n**Review**\n'.repeat(15_000)],
    ['a heading with a long gap', `## a${' '.repeat(240_000)}b`],
    ['a heading of hashes', `## ${'#'.repeat(240_000)}b`],
    ['a long first line of a Review', `## Review\nverdict${' '.repeat(240_000)}x`],
    ['a long fence', `${'`'.repeat(240_000)}x`],
    ['a body of line breaks', '\n'.repeat(240_000)],
  ])('a body is judged quickly: %s', (_, body) => {
    const found = validateTask(`---\n${REST}${body}`, FILE);
    const judge = (): void => {
      validateTask(`---\n${REST}${body}`, FILE);
      setSection(body, 'Handoff', body.slice(0, 1000));
    };
    expect(leastCpuMs(judge, BODY_LIMIT_MS)).toBeLessThan(BODY_LIMIT_MS);
    expect(found.length).toBeLessThanOrEqual(100);
  });

  it('F33 stays refused however often it is read', () => {
    for (let poll = 0; poll < 10; poll += 1) {
      expect(rejection(`---\nsummary: Fix: the bug\n${REST}`)).toBe('ORA016');
    }
  });

  it('says on which line', () => {
    const reading = parseTaskFile(SAMPLE_TEXT.replace('summary: Add', 'summary: Fix: add'), FILE);
    expect(reading).toMatchObject({ ok: false, diagnostics: [{ code: 'ORA016', line: 10 }] });
    const later = parseTaskFile(SAMPLE_TEXT.replace('pr_url: null', 'pr_url: *x'), FILE);
    expect(later).toMatchObject({ ok: false, diagnostics: [{ code: 'ORA017', line: 13 }] });
  });
});

describe('what looks hostile but is not', () => {
  it('an alias mark inside quotes or a block is text', () => {
    const text = `---\nsummary: "*a and &b [[[[[[[[[["\nnote: |\n  *x [[[[[[[[[[[[\n  - - - - - - - - - -\n${REST}`;
    expect(rejection(text)).toBe('accepted');
  });

  it('`__proto__` is not read and changes no prototype', () => {
    const text = `---\n__proto__: {polluted: yes}\nx: {__proto__: {polluted: yes}, a: b}\n${REST}`;
    const reading = parseTaskFile(text, FILE);
    expect(reading).toMatchObject({ ok: true, diagnostics: [{ code: 'ORA021', line: 2 }] });
    if (!reading.ok) return;
    expect(reading.record.extensions).toEqual({ x: { a: 'b' } });
    const copy: Record<string, unknown> = Object.assign({}, reading.record.extensions);
    expect(copy['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('F32 no prefix of a valid file says anything but what the whole file says', () => {
    const whole = parseTaskFile(SAMPLE_TEXT, FILE);
    if (!whole.ok) throw new Error('the sample is not valid');
    for (let length = 0; length < SAMPLE_TEXT.length; length += 1) {
      const reading = parseTaskFile(SAMPLE_TEXT.slice(0, length), FILE);
      if (!reading.ok) continue;
      expect(reading.record.fields).toEqual(whole.record.fields);
      expect(whole.record.body.startsWith(reading.record.body)).toBe(true);
    }
  });

  it('G4 any mutation is refused or read, never thrown, never slow, and runs nothing', () => {
    const seeds = [
      SAMPLE_TEXT,
      `---js\nglobalThis.x = require('fs')\n---\n`,
      `---\na: [b, {c: d}]\n${REST}`,
    ];
    const piece = fc.oneof(
      fc.constantFrom(
        '---',
        '\n',
        '\r',
        ': ',
        '- ',
        '[',
        '{',
        '&a ',
        '*a',
        '|',
        '"',
        '#',
        '\0',
        '\uFEFF',
        '? ',
        '!!js/function ',
        '%YAML',
        '...',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(500), piece, fc.nat(3)), { maxLength: 6 }),
        (seed, edits) => {
          let text = seed;
          for (const [at, insert, cut] of edits) {
            text = text.slice(0, at) + insert + text.slice(at + cut);
          }
          const reading = parseTaskFile(text, FILE);
          expect(readingTime(text)).toBeLessThan(LIMIT_MS);
          expect(reading.ok || reading.diagnostics.length > 0).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
    expect(existsSync(canary)).toBe(false);
  });
});
