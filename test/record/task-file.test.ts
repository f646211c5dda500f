import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { STATUSES } from '../../src/domain/status.js';
import {
  FIELD_NAMES,
  type FrontmatterValue,
  type TaskFields,
  type TaskRecord,
} from '../../src/domain/task.js';
import { editTaskFile, type TaskEdits } from '../../src/record/edit-task-file.js';
import { formatNewTask, parseTaskFile } from '../../src/record/task-file.js';
import { SAMPLE_FIELDS, SAMPLE_TEXT, sampleTask } from './sample-task.js';

const FILE = 'TASK.md';

function parsed(text: string): TaskRecord {
  const reading = parseTaskFile(text, FILE);
  if (!reading.ok) throw new Error(JSON.stringify(reading.diagnostics));
  return reading.record;
}

function edited(text: string, edits: TaskEdits): string {
  const result = editTaskFile(text, edits, { file: FILE });
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value.text;
}

function codes(text: string, expected?: { id: string; project: string }): readonly string[] {
  const reading = parseTaskFile(text, FILE, expected === undefined ? {} : { expected });
  return reading.ok ? [] : reading.diagnostics.map(({ code }) => code);
}

describe('a task file', () => {
  it('ORA-22 is YAML frontmatter between `---` lines, then Markdown', () => {
    expect(formatNewTask(sampleTask())).toBe(SAMPLE_TEXT);
    expect(parsed(SAMPLE_TEXT)).toEqual(sampleTask());
  });

  it('ORA-23 ORA-24 takes id and project from the directory when they are missing', () => {
    const reading = parseTaskFile('---\n---\n', FILE, { expected: { id: 'abc', project: 'p' } });
    expect(reading).toMatchObject({ ok: true, record: { fields: { id: 'abc', project: 'p' } } });
    expect(codes('---\n---\n')).toEqual(['ORA030', 'ORA030']);
  });

  it('ORA-21 refuses an id or project that disagrees with the directory', () => {
    expect(codes(SAMPLE_TEXT, { id: 'other', project: 'orange' })).toEqual(['ORA031']);
    expect(codes(SAMPLE_TEXT, { id: SAMPLE_FIELDS.id, project: 'other' })).toEqual(['ORA031']);
    const expected = { id: 'other', project: 'other' };
    const reading = parseTaskFile(SAMPLE_TEXT, 'TASK.md', { expected, names: 'claimed' });
    expect(reading).toMatchObject({ ok: true, record: { fields: SAMPLE_FIELDS } });
  });

  it('ORA-25 to ORA-36, ORA-38 missing fields read as their defaults', () => {
    const reading = parseTaskFile('---\nid: abc\nproject: p\n---\n', FILE, {
      now: '2026-02-03T04:05:06Z',
      harness: 'codex',
    });
    expect(reading).toMatchObject({
      ok: true,
      record: {
        fields: {
          branch: 'orange-tasks/abc',
          harness: 'codex',
          review_harness: 'claude',
          status: 'pending',
          review_round: 0,
          crash_count: 0,
          summary: '',
          workspace: null,
          tmux_session: null,
          pr_url: null,
          created_at: '2026-02-03T04:05:06Z',
          updated_at: '2026-02-03T04:05:06Z',
        },
        body: '',
      },
    });
  });

  it('ORA-38 an edit of a minimal file adds only the field it touches', () => {
    const minimal = '---\nid: abc\nproject: p\n---\nbody';
    expect(edited(minimal, {})).toBe(minimal);
    expect(edited(minimal, { fields: { status: 'planning' } })).toBe(
      '---\nid: abc\nproject: p\nstatus: planning\n---\nbody',
    );
    expect(
      edited('---\nstatus: pending\nproject: p\nid: a\n---\n', { fields: { branch: 'b' } }),
    ).toBe('---\nstatus: pending\nproject: p\nbranch: b\nid: a\n---\n');
  });

  it.each(['null', '~', '', 'Null', 'NULL', '""'])('ORA-32 reads %j as no workspace', (value) => {
    const text = SAMPLE_TEXT.replace('workspace: null', `workspace: ${value}`);
    expect(parsed(text).fields.workspace).toBeNull();
  });

  it.each([
    ['id', '0123456789'],
    ['id', '1e3'],
    ['branch', '2024-01-02'],
    ['branch', 'yes'],
    ['branch', '1.10'],
    ['branch', '0x1F'],
    ['summary', '12:30:45'],
    ['summary', 'null'],
    ['summary', 'No'],
    ['summary', '~'],
    ['summary', 'Fix: the bug'],
    ['summary', 'a #b'],
    ['summary', '- item'],
    ['summary', '# heading'],
    ['summary', '"quoted" \\ and \'more\''],
    ['summary', "'single'"],
    ['summary', 'two\nlines\r\nand\ttab'],
    ['summary', ' padded '],
    ['summary', 'nul-free \u0007 \u0085 \u2028 \uFEFF end'],
    ['summary', '---'],
    ['summary', '{a: b}'],
    ['summary', '& * ! | > % @ `'],
    ['summary', 'emoji 🍊 and ünïcode'],
    ['summary', 'x:'],
    ['workspace', 'null'],
    ['workspace', '007'],
  ] as const)('ORA-39 keeps %s %j a string on a round trip', (name, value) => {
    const record = sampleTask({ [name]: value });
    const text = formatNewTask(record);
    expect(parsed(text)).toEqual(record);
    expect(edited(SAMPLE_TEXT, { fields: { [name]: value } })).toBe(text);
    // Other readers see a string too.
    const others: Record<string, unknown> = parseDocument(text.split('---\n')[1] ?? text).toJS();
    if (!value.includes('---')) expect(others[name]).toBe(value);
  });

  it('quotes only where it must', () => {
    const plain = [
      'Add a dark mode',
      "don't",
      'a:b',
      'a#b',
      'v1.2.3',
      '2fa',
      'fix/x-y_z',
      'ünï 🍊',
    ];
    for (const summary of plain) {
      expect(formatNewTask(sampleTask({ summary }))).toContain(`\nsummary: ${summary}\n`);
    }
    expect(formatNewTask(sampleTask({ summary: '' }))).toContain('\nsummary: ""\n');
  });

  it('ORA-28 refuses a status that is none, with the nearest one', () => {
    const reading = parseTaskFile(SAMPLE_TEXT.replace('status: pending', 'status: wroking'), FILE);
    expect(reading).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'ORA033', line: 7, fix: 'write `status: working`' }],
    });
  });

  it.each(['-1', '1.5', 'two', '[1]', '1e3', '99999999999'])(
    'ORA-29 ORA-30 refuses %s as a count',
    (value) => {
      expect(codes(SAMPLE_TEXT.replace('review_round: 0', `review_round: ${value}`))).toHaveLength(
        1,
      );
      expect(codes(SAMPLE_TEXT.replace('crash_count: 0', `crash_count: ${value}`))).toHaveLength(1);
    },
  );

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    ['2026-01-31T09:30:00+02:00', '2026-01-31T07:30:00Z'],
    ['2026-01-31T09:30:00-0130', '2026-01-31T11:00:00Z'],
    ['2026-01-31 09:30:00Z', '2026-01-31T09:30:00Z'],
    ['2026-01-31T09:30:00.123456Z', '2026-01-31T09:30:00.123456Z'],
    ['2026-01-31T09:30', '2026-01-31T09:30:00Z'],
  ])('ORA-35 ORA-36 reads %s as %s', (written, read) => {
    const text = SAMPLE_TEXT.replace('created_at: 2026-01-31T09:30:00Z', `created_at: ${written}`);
    expect(parsed(text).fields.created_at).toBe(read);
  });

  it.each(['2024-13-45', '2026-02-30', 'yesterday', '1700000000', '2026-01-31T25:00:00Z'])(
    'ORA-35 refuses %s as a time',
    (value) => {
      expect(codes(SAMPLE_TEXT.replace(/created_at: .*/, `created_at: ${value}`))).toEqual([
        'ORA035',
      ]);
    },
  );

  it('reports every wrong field, not only the first', () => {
    const text = SAMPLE_TEXT.replace('pending', 'nope').replace(
      'review_round: 0',
      'review_round: x',
    );
    expect(codes(text)).toEqual(['ORA033', 'ORA034']);
  });

  it('keeps unknown keys, comments, order, spacing and multi-line values byte for byte', () => {
    const text = [
      '---',
      '# a comment',
      'custom:   # theirs',
      '  - one   # first',
      '  - two: {a: b}',
      'status:   pending   # the engine writes this',
      'id: abc',
      '',
      'notes: |',
      '  first',
      '',
      '  ## not a heading',
      'project: "p"',
      'tags: [ a,b ]',
      'last: >-',
      '  folded',
      '---',
      'body',
    ].join('\n');
    expect(edited(text, { fields: { status: 'planning' } })).toBe(
      text.replace('pending   #', 'planning   #'),
    );
    expect(edited(text, { fields: { project: 'p' } })).toBe(text);
    expect(parsed(text).extensions).toEqual({
      custom: ['one', { two: { a: 'b' } }],
      notes: 'first\n\n## not a heading\n',
      tags: ['a', 'b'],
      last: 'folded',
    });
  });

  it('sets, replaces and removes extension keys in their place', () => {
    const text = '---\nid: a\nproject: p\ntags:\n  - x\n  - y\n# note\nother: 1\n---\n';
    expect(edited(text, { extensions: { tags: ['x', 'z, w'] } })).toBe(
      '---\nid: a\nproject: p\ntags: [x, "z, w"]\n# note\nother: 1\n---\n',
    );
    expect(edited(text, { extensions: { tags: null, absent: null } })).toBe(
      '---\nid: a\nproject: p\n# note\nother: 1\n---\n',
    );
    expect(edited(text, { extensions: { hold: 'not spawned', gates: { plan: 'human' } } })).toBe(
      '---\nid: a\nproject: p\ntags:\n  - x\n  - y\n# note\nother: 1\nhold: not spawned\ngates: { plan: human }\n---\n',
    );
  });

  it('writes a value where there was none, before its comment', () => {
    const text =
      '---\nid: a\nproject: p\nworkspace: # free\npr_url:\nsummary: |\n  long\n  text\n---\n';
    expect(
      edited(text, { fields: { workspace: 'p--1', pr_url: 'https://x/1', summary: 'short' } }),
    ).toBe(
      '---\nid: a\nproject: p\nworkspace: p--1 # free\npr_url: https://x/1\nsummary: short\n---\n',
    );
  });

  it('keeps CRLF, a byte order mark, and `---` in the body', () => {
    const crlf = `\uFEFF${SAMPLE_TEXT}---\nid: not me\n---\n`.replaceAll('\n', '\r\n');
    expect(parsed(crlf).fields).toEqual(SAMPLE_FIELDS);
    expect(edited(crlf, { fields: { status: 'planning', crash_count: 2 } })).toBe(
      crlf
        .replace('status: pending', 'status: planning')
        .replace('crash_count: 0', 'crash_count: 2'),
    );
    const minimal = '---\r\nid: a\r\nproject: p\r\n---\r\n';
    expect(edited(minimal, { fields: { status: 'stuck' }, extensions: { hold: 'x' } })).toBe(
      '---\r\nid: a\r\nproject: p\r\nstatus: stuck\r\nhold: x\r\n---\r\n',
    );
  });

  it('adds the line break a closing line lacks once there is a body', () => {
    expect(edited('---\nid: a\nproject: p\n---', { body: 'text' })).toBe(
      '---\nid: a\nproject: p\n---\ntext',
    );
    expect(edited('---\nid: a\nproject: p\n---', {})).toBe('---\nid: a\nproject: p\n---');
  });

  it('refuses an edit that would make the file unreadable', () => {
    const result = editTaskFile(
      SAMPLE_TEXT,
      { fields: { summary: 'x'.repeat(20_000) } },
      { file: FILE },
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'file-rejected', diagnostics: [{ code: 'ORA012' }] },
    });
  });

  it('warns about extension values that will read as their default', () => {
    const text = SAMPLE_TEXT.replace(
      '---\n\n',
      'priority: urgent\ngates: { plan: maybe }\n---\n\n',
    );
    expect(parseTaskFile(text, FILE)).toMatchObject({
      ok: true,
      diagnostics: [
        { code: 'ORA037', severity: 'warning', line: 16 },
        { code: 'ORA037', severity: 'warning', line: 17 },
      ],
    });
  });
});

const arbText = fc.string({ unit: 'binary', maxLength: 60 });
const arbValue: fc.Arbitrary<FrontmatterValue> = fc.letrec<{ value: FrontmatterValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    arbText,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(arbText.filter(isKey), tie('value'), { maxKeys: 3 }),
  ),
})).value;

function isKey(key: string): boolean {
  return key !== '' && key !== '__proto__' && !(FIELD_NAMES as readonly string[]).includes(key);
}

const arbFields: fc.Arbitrary<TaskFields> = fc.record({
  id: fc.stringMatching(/^[0-9A-Za-z]{1,21}$/),
  project: fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,10}$/),
  branch: arbText.filter((text) => text !== ''),
  harness: fc.constantFrom('claude', 'codex', 'true', '1'),
  review_harness: fc.constantFrom('claude', 'no'),
  status: fc.constantFrom(...STATUSES),
  review_round: fc.nat(999),
  crash_count: fc.nat(999),
  summary: arbText,
  workspace: fc.option(arbText.filter((text) => text !== '')),
  tmux_session: fc.option(arbText.filter((text) => text !== '')),
  pr_url: fc.option(fc.webUrl()),
  created_at: fc.constant('2026-01-31T09:30:00Z'),
  updated_at: fc.constant('2026-01-31T09:30:00.250Z'),
});

const arbRecord: fc.Arbitrary<TaskRecord> = fc.record({
  fields: arbFields,
  extensions: fc.dictionary(arbText.filter(isKey), arbValue, { maxKeys: 4 }),
  body: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
});

describe('for any task', () => {
  it('ORA-39 reading what was written gives the same task', () => {
    fc.assert(
      fc.property(arbRecord, (record) => {
        expect(parsed(formatNewTask(record))).toEqual(record);
      }),
      { numRuns: 400 },
    );
  });

  it('an edit says what was asked, and leaves the body and everything else as it was', () => {
    fc.assert(
      fc.property(arbRecord, arbFields, fc.boolean(), (record, change, isCrlf) => {
        const written = formatNewTask(record);
        const head = written.slice(0, written.length - record.body.length);
        const text = (isCrlf ? head.replaceAll('\n', '\r\n') : head) + record.body;
        const { id: _, project: __, ...fields } = change;
        const result = parsed(edited(text, { fields }));
        expect(result.body).toBe(record.body);
        expect(result.extensions).toEqual(record.extensions);
        expect(result.fields).toEqual({ ...record.fields, ...fields });
        expect(edited(edited(text, { fields }), { fields: record.fields })).toBe(text);
      }),
      { numRuns: 400 },
    );
  });
});
