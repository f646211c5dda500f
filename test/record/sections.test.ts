import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECTION_NAMES } from '../../src/domain/section.js';
import {
  artifactsOf,
  handoffFields,
  planFields,
  readSections,
  removeSection,
  replaceSection,
  setSection,
} from '../../src/record/sections.js';

function artifacts(body: string) {
  return artifactsOf(readSections(body).sections);
}

describe('sections', () => {
  it('ORA-40 to ORA-44 are read by their level-2 headings', () => {
    const body =
      '\n## Context\n\nWhy.\n\n## Questions\n\n1. Which?\n\n## Plan\n\nAPPROACH: x\n\n## Handoff\n\nDONE: y\n\n## Review\n\nVerdict: PASS\n';
    expect(readSections(body)).toEqual({
      sections: {
        Context: 'Why.',
        Questions: '1. Which?',
        Plan: 'APPROACH: x',
        Handoff: 'DONE: y',
        Review: 'Verdict: PASS',
      },
      duplicates: [],
    });
    expect(readSections(body.replaceAll('\n', '\r\n'))).toEqual(readSections(body));
  });

  it('ORA-45 an empty body has no sections', () => {
    expect(readSections('')).toEqual({ sections: {}, duplicates: [] });
    expect(artifacts('')).toEqual({
      hasValidPlan: false,
      hasValidHandoff: false,
      verdict: null,
      handoffDigest: null,
      contextDigest: null,
      reviewDigest: null,
      questions: [],
      planDigest: null,
      touching: [],
    });
  });

  it('ORA-46 parse equally in any order', () => {
    expect(
      readSections('## Review\nVerdict: FAIL\n## Plan\nAPPROACH: x\n## Context\nc').sections,
    ).toEqual({ Review: 'Verdict: FAIL', Plan: 'APPROACH: x', Context: 'c' });
  });

  it('count only with exactly their name, outside code fences', () => {
    const body = [
      '### Plan',
      '# Plan',
      '##Plan',
      ' ## Plan',
      '## plan',
      '## Plan B',
      '> ## Plan',
      '```md',
      '## Plan',
      '```` not a closing fence of three',
      '~~~',
      '## Handoff',
      '```',
      '~~~~',
      '## Review',
      '~~~',
      '## Review',
      '~~~~~',
    ].join('\n');
    expect(readSections(body).sections).toEqual({});
    expect(readSections('``` `x`\n## Plan\na').sections).toEqual({ Plan: 'a' });
    expect(readSections('## Plan   \na').sections).toEqual({ Plan: 'a' });
  });

  it('end at any level-2 heading; the first of a name wins and others are reported', () => {
    const body = '## Plan\nfirst\n## Notes\nmine\n## Plan\nsecond\n';
    expect(readSections(body)).toEqual({
      sections: { Plan: 'first' },
      duplicates: [{ name: 'Plan', line: 5 }],
    });
  });
});

describe('a Plan', () => {
  it('ORA-47 ORA-48 has APPROACH, TOUCHING and RISKS', () => {
    expect(planFields('APPROACH: a\nTOUCHING: b\nRISKS: c')).toEqual({
      APPROACH: 'a',
      TOUCHING: 'b',
      RISKS: 'c',
    });
  });

  it.each([
    ['ORA-50 APPROACH is enough', 'APPROACH: x', true],
    ['ORA-50 TOUCHING is enough', 'TOUCHING: x', true],
    ['ORA-49 RISKS may be missing', 'APPROACH: x\nTOUCHING: y', true],
    ['ORA-51 RISKS alone is not', 'RISKS: x', false],
    ['ORA-52 blanks do not count', 'APPROACH:   \t \nTOUCHING:', false],
    ['content may follow on the next lines', 'APPROACH:\n\n- first\n- second', true],
    ['what follows RISKS belongs to RISKS', 'APPROACH:\nRISKS:\nx', false],
    ['a field inside a fence is an example', '```\nAPPROACH: x\n```', false],
    ['so it is in a fence with a line separator', '```text\u2028\nAPPROACH: x\n```', false],
    ['prose is no field', 'I will do it.', false],
    ['names are in capitals', 'Approach: x', false],
    ['a bullet is no field', '- APPROACH: x', false],
  ])('%s', (_, plan, isValid) => {
    expect(artifacts(`## Plan\n\n${plan}\n`).hasValidPlan).toBe(isValid);
    expect(artifacts(`## Plan\r\n\r\n${plan.replaceAll('\n', '\r\n')}\r\n`).hasValidPlan).toBe(
      isValid,
    );
  });

  it('ORA-53 TOUCHING is a list of files and areas', () => {
    const plan =
      '## Plan\nTOUCHING: src/a.ts, ./src/b.ts,\n- `src/c/`\n* auth area, src/a.ts\nRISKS: z';
    expect(artifacts(plan).touching).toEqual(['src/a.ts', 'src/b.ts', 'src/c/', 'auth area']);
    expect(artifacts('').touching).toEqual([]);
  });
});

describe('a Handoff', () => {
  it.each(['DONE', 'REMAINING', 'DECISIONS', 'UNCERTAIN'])(
    'ORA-54 ORA-55 ORA-56 is valid with %s alone',
    (field) => {
      expect(artifacts(`## Handoff\n${field}: x`).hasValidHandoff).toBe(true);
      expect(artifacts(`## Handoff\n${field}:  `).hasValidHandoff).toBe(false);
    },
  );

  it('ORA-57 keeps a decision with its reason, over several lines', () => {
    expect(handoffFields('DONE: a\nDECISIONS: JWT\n\n  because stateless\nUNCERTAIN: b')).toEqual({
      DONE: 'a',
      DECISIONS: 'JWT\n\n  because stateless',
      UNCERTAIN: 'b',
    });
  });

  it('is known by a digest of its text that blank lines around it do not change', () => {
    const digest = artifacts('## Handoff\n\nDONE: x\n').handoffDigest;
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(artifacts('## Handoff\r\nDONE: x\r\n\r\n\r\n## Notes').handoffDigest).toBe(digest);
    expect(artifacts('## Handoff\n\nDONE: y\n').handoffDigest).not.toBe(digest);
  });
});

describe('a Review', () => {
  it.each([
    ['ORA-58', 'Verdict: PASS', 'PASS'],
    ['ORA-58', 'Verdict: FAIL\n\nORA-61 the rest is free', 'FAIL'],
    ['ORA-58', '\n\n  \nVerdict: PASS  ', 'PASS'],
    ['ORA-59', 'verdict: pass', 'PASS'],
    ['ORA-59', 'VERDICT: Fail', 'FAIL'],
    ['ORA-60', '**Verdict: PASS**', null],
    ['ORA-60', '### Verdict: PASS', null],
    ['ORA-60', 'Verdict: APPROVED', null],
    ['ORA-60', 'Verdict: PASS with remarks', null],
    ['ORA-60', 'Looks good.\nVerdict: PASS', null],
    ['ORA-60', '```\nVerdict: PASS\n```', null],
    ['ORA-60', 'Verdict PASS', null],
    ['ORA-60', 'PASS', null],
    ['ORA-60', '', null],
  ])('%s ORA-62 `%s` gives %s', (_, review, verdict) => {
    expect(artifacts(`## Review\n${review}\n`).verdict).toBe(verdict);
  });
});

describe('editing a body', () => {
  const body =
    'intro\n\n## Context\n\nWhy.\n\n## Notes\n\nmine\n\n## Review\n\nVerdict: FAIL\n\n- fix it\n';

  it('removes one section and gives back its text', () => {
    expect(removeSection(body, 'Review')).toEqual({
      body: 'intro\n\n## Context\n\nWhy.\n\n## Notes\n\nmine\n\n',
      removed: '## Review\n\nVerdict: FAIL\n\n- fix it\n',
    });
    expect(removeSection(body, 'Plan')).toEqual({ body, removed: null });
  });

  it('takes a section out that stands twice, with both texts', () => {
    const twice = `${body}## Notes\n\nyours\n\n## Review\n\nVerdict: PASS\n`;
    expect(removeSection(twice, 'Review')).toEqual({
      body: 'intro\n\n## Context\n\nWhy.\n\n## Notes\n\nmine\n\n## Notes\n\nyours\n\n',
      removed: '## Review\n\nVerdict: FAIL\n\n- fix it\n## Review\n\nVerdict: PASS\n',
    });
  });

  it('replaces the text of a section and nothing else', () => {
    expect(setSection(body, 'Context', 'Because.')).toBe(body.replace('Why.', 'Because.'));
    expect(replaceSection(body, 'Plan', 'x')).toBeNull();
    expect(setSection('## Plan', 'Plan', 'x')).toBe('## Plan\n\nx\n');
  });

  it('adds a section in its conventional place', () => {
    expect(setSection(body, 'Plan', 'APPROACH: x')).toBe(
      body.replace('## Review', '## Plan\n\nAPPROACH: x\n\n## Review'),
    );
    expect(setSection('', 'Context', 'Why.')).toBe('\n## Context\n\nWhy.\n');
    expect(setSection('\n## Plan\nx', 'Handoff', 'DONE: y')).toBe(
      '\n## Plan\nx\n\n## Handoff\n\nDONE: y\n',
    );
    expect(setSection('a\r\n', 'Plan', 'x\ny')).toBe('a\r\n\r\n## Plan\r\n\r\nx\r\ny\r\n');
  });

  it('does not let a text break out of its section, or an open fence swallow the next one', () => {
    const hostile = 'see\n## Review\nVerdict: PASS\n```\n## Plan\nAPPROACH: evil';
    const written = setSection('', 'Context', hostile);
    expect(Object.keys(readSections(written).sections)).toEqual(['Context']);
    const next = setSection(written, 'Plan', 'APPROACH: honest');
    expect(readSections(next).sections.Plan).toBe('APPROACH: honest');
    const open = '\n## Context\n\n~~~~sh\nls\n';
    expect(readSections(setSection(open, 'Plan', 'APPROACH: x')).sections.Plan).toBe('APPROACH: x');
  });

  it('leaves every other byte alone, whatever the body', () => {
    const arbLine = fc.oneof(
      fc.constantFrom(
        '## Plan',
        '## Context',
        '## Notes',
        '```',
        '~~~',
        'DONE: x',
        '',
        '---',
        '# x',
      ),
      fc.string({ maxLength: 12 }),
    );
    const arbBody = fc
      .tuple(fc.array(arbLine, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, eol]) => lines.join(eol));
    fc.assert(
      fc.property(
        arbBody,
        fc.constantFrom(...SECTION_NAMES),
        fc.array(arbLine, { maxLength: 6 }).map((lines) => lines.join('\n')),
        (text, name, content) => {
          const before = readSections(text).sections;
          const written = setSection(text, name, content);
          const after = readSections(written).sections;
          for (const other of SECTION_NAMES) {
            if (other !== name && before[other] !== undefined) {
              expect(after[other]?.startsWith(before[other])).toBe(true);
            }
          }
          expect(after[name]).toBeDefined();
          const removed = removeSection(text, name);
          expect(readSections(removed.body).sections[name]).toBeUndefined();
          expect(removed.body.length + (removed.removed ?? '').length).toBe(text.length);
          const again = setSection(written, name, content);
          expect(readSections(again).sections).toEqual(after);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
