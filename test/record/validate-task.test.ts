import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIAGNOSTIC_RULES } from '../../src/record/diagnostic-codes.js';
import { validateTask } from '../../src/record/validate-task.js';
import { SAMPLE_TEXT } from './sample-task.js';

const HEAD = SAMPLE_TEXT.slice(0, SAMPLE_TEXT.indexOf('## Context'));

/** Codes with their line, counted from the first body line that is given. */
function findings(body: string): readonly string[] {
  const offset = HEAD.split('\n').length - 1;
  return validateTask(HEAD + body, 'TASK.md').map(({ code, line }) => `${code}:${line - offset}`);
}

describe('orange validate', () => {
  it('has nothing to say about a good task', () => {
    expect(validateTask(SAMPLE_TEXT, 'TASK.md')).toEqual([]);
    expect(
      findings(
        '## Context\nx\n## Plan\nAPPROACH: a\nTOUCHING: src/a.ts, auth area\n## Handoff\nDONE: b\n## Review\nVerdict: PASS\n\nFine.\n',
      ),
    ).toEqual([]);
  });

  it.each([
    ['ORA-51 a Plan with only RISKS', '## Plan\nRISKS: x\n', ['ORA041:1']],
    ['ORA-50 a Plan of prose', '## Plan\nI will.\n', ['ORA041:1']],
    ['an empty TOUCHING', '## Plan\nAPPROACH: x\nTOUCHING:  \n', ['ORA044:3']],
    [
      'absolute paths in TOUCHING',
      '## Plan\nTOUCHING: /etc/x, src/a, ../b, ~/c\n',
      ['ORA045:2', 'ORA045:2', 'ORA045:2'],
    ],
    ['ORA-56 an empty Handoff', '## Handoff\n\n', ['ORA042:1']],
    ['ORA-60 a Review without verdict', '## Review\nLooks good to me\n', ['ORA043:1']],
    ['ORA-60 a bold verdict', '## Review\n**Verdict: PASS**\n', ['ORA043:1', 'ORA050:2']],
    [
      'a verdict with only its name bold',
      '## Review\n**Verdict:** FAIL\n',
      ['ORA043:1', 'ORA050:2'],
    ],
    ['ORA-60 a verdict as heading', '## Review\n### Verdict: PASS\n', ['ORA043:1', 'ORA050:2']],
    ['a bare verdict', '## Review\nPASS\n', ['ORA043:1', 'ORA050:2']],
    ['APPROVED instead of PASS', '## Review\nVerdict: APPROVED\n', ['ORA043:1', 'ORA051:2']],
    [
      'NEEDS_CHANGES instead of FAIL',
      '## Review\nVerdict: NEEDS_CHANGES\n',
      ['ORA043:1', 'ORA051:2'],
    ],
    ['`Plan:` instead of a heading', 'Plan:\nAPPROACH: x\n', ['ORA052:1']],
    ['a bold title', '**Handoff**\nDONE: x\n', ['ORA052:1']],
    ['a heading of another level', '### Plan\nAPPROACH: x\n', ['ORA052:1']],
    ['a heading in small letters', '## plan\nAPPROACH: x\n', ['ORA052:1']],
    ['field names in small letters', '## Plan\nApproach: x\n', ['ORA041:1', 'ORA053:2']],
    ['fields as bullets', '## Plan\n- APPROACH: x\n', ['ORA041:1', 'ORA054:2']],
    ['fields in bold', '## Handoff\n**DONE**: x\n', ['ORA042:1', 'ORA054:2']],
    ['a section inside a fence', '```\n## Plan\nAPPROACH: x\n```\n', ['ORA055:2']],
    ['a fence that is never closed', '```\ncode\n', ['ORA056:1']],
    ['a duplicate section', '## Plan\nAPPROACH: x\n## Plan\nAPPROACH: y\n', ['ORA040:3']],
    ['no near miss once the real section stands', '## Plan\nAPPROACH: x\n\nPlan:\n', []],
    ['prose that names a section', 'The plan is good.\nReview the code.\n', []],
  ])('%s', (_, body, expected) => {
    expect(findings(body)).toEqual(expected);
    expect(findings(body.replaceAll('\n', '\r\n'))).toEqual(expected);
  });

  it('checks the body even when a field is wrong, and says nothing of it when there is none', () => {
    const text = SAMPLE_TEXT.replace('pending', 'nope').replace('## Context', '## Plan');
    expect(validateTask(text, 'TASK.md').map(({ code }) => code)).toEqual(['ORA033', 'ORA041']);
    expect(validateTask('no frontmatter', 'TASK.md').map(({ code }) => code)).toEqual(['ORA010']);
  });

  it('every code is listed in the documentation', () => {
    const docs = readFileSync(new URL('../../docs/file-formats.md', import.meta.url), 'utf8');
    for (const [code, rule] of Object.entries(DIAGNOSTIC_RULES)) {
      expect(docs).toContain(`| ${code} | ${rule} |`);
    }
  });
});
