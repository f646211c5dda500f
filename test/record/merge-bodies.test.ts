import { array, assert, constantFrom, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isContained, mergeBodies } from '../../src/record/merge-bodies.js';

const BASE = '\n## Context\n\nWhy.\n\n## Notes\n\none\n';

describe('merging what somebody wrote into an older copy', () => {
  it.each([
    ['nothing new', BASE, BASE.replace('one', 'two'), BASE, BASE.replace('one', 'two')],
    ['their change', BASE, BASE, BASE.replace('one', 'two'), BASE.replace('one', 'two')],
    [
      'changes in two places',
      BASE,
      BASE.replace('Why.', 'Why, in detail.'),
      BASE.replace('one', 'two'),
      '\n## Context\n\nWhy, in detail.\n\n## Notes\n\ntwo\n',
    ],
    [
      'a new section of each side',
      BASE,
      `${BASE}\n## Answers\n\nYes.\n`,
      `${BASE}\n## Plan\n\nAPPROACH: x\n`,
      `${BASE}\n## Plan\n\nAPPROACH: x\n\n## Answers\n\nYes.\n`,
    ],
    [
      'a section that we took out and they did not touch',
      `${BASE}\n## Review\n\nVerdict: FAIL\n`,
      BASE,
      `${BASE.replace('one', 'two')}\n## Review\n\nVerdict: FAIL\n`,
      `${BASE.replace('one', 'two')}\n`,
    ],
    ['a text that was cut off', BASE, BASE, '\n## Context\n\nWhy.\n', BASE],
    ['an empty text', BASE, BASE, '', BASE],
    ['Windows line endings', BASE, BASE, BASE.replaceAll('\n', '\r\n'), BASE],
    [
      'more under the same heading on both sides, one holding the other',
      BASE,
      BASE.replace('one', 'one\ntwo'),
      BASE.replace('one', 'one\ntwo\nthree'),
      BASE.replace('one', 'one\ntwo\nthree'),
    ],
    [
      'what both sides appended',
      BASE,
      BASE.replace('one', 'one\nours'),
      BASE.replace('one', 'one\ntheirs'),
      BASE.replace('one', 'one\nours\ntheirs'),
    ],
    [
      'what they append on and on, each line once',
      BASE.replace('one', 'one\ntheirs'),
      BASE.replace('one', 'one\nours\ntheirs'),
      BASE.replace('one', 'one\ntheirs\nmore'),
      BASE.replace('one', 'one\nours\ntheirs\nmore'),
    ],
    ['what both sides appended to nothing', '', '- ours\n', '- theirs\n', '- ours\n- theirs\n'],
    [
      'what both sides appended before another section',
      BASE,
      `${BASE.replace('one', 'one\nours')}\n## Review\n\nVerdict: PASS\n`,
      BASE.replace('one', 'one\ntheirs'),
      `${BASE.replace('one', 'one\nours\ntheirs')}\n## Review\n\nVerdict: PASS\n`,
    ],
    [
      'a heading twice',
      `${BASE}\n## Notes\n\nagain\n`,
      `${BASE}\n## Notes\n\nagain\n`,
      `${BASE}\n## Notes\n\nchanged\n`,
      `${BASE}\n## Notes\n\nchanged\n`,
    ],
  ])('brings in %s', (...[, base, ours, late, body]) => {
    expect(mergeBodies(base, ours, late)).toEqual({ body, conflicts: [] });
  });

  it.each([
    ['both changed', BASE, BASE.replace('one', 'ours'), BASE.replace('one', 'theirs')],
    [
      'we took out what they changed',
      BASE,
      '\n## Context\n\nWhy.\n\n',
      BASE.replace('one', 'theirs'),
    ],
    [
      'they added to what we had rewritten',
      BASE,
      BASE.replace('one', 'ours'),
      BASE.replace('one', 'one\ntheirs'),
    ],
    [
      'both filled an empty section',
      BASE.replace('one\n', ''),
      BASE.replace('one', 'ours'),
      BASE.replace('one', 'theirs'),
    ],
    [
      'their words would begin inside of a fence',
      BASE,
      BASE.replace('one', 'one\n```\nours\n```'),
      BASE.replace('one', 'one\n```\n## Plan\n```'),
    ],
    [
      'one number is only the beginning of another',
      BASE,
      BASE.replace('one', 'count: 12'),
      BASE.replace('one', 'count: 1'),
    ],
  ])('leaves ours and names the heading where %s', (_, base, ours, late) => {
    expect(mergeBodies(base, ours, late)).toMatchObject({
      body: ours,
      conflicts: [{ heading: 'Notes' }],
    });
  });

  it('closes an open code fence before a section that comes after it', () => {
    const ours = '\n## Notes\n\n```\ncode';
    const { body } = mergeBodies('', ours, '\n## Notes\n\n## Plan\n\nAPPROACH: x\n');
    expect(isContained('\n## Plan\n\nAPPROACH: x\n', body)).toBe(true);
    expect(isContained('\n## Notes\n\n```\ncode\n```\n', body)).toBe(true);
  });

  const body = array(
    record({
      heading: constantFrom('Context', 'Plan', 'Handoff', 'Notes', 'Review'),
      lines: array(constantFrom('a', 'b', 'c', '', '```', '# x', 'DONE: y'), {
        maxLength: 4,
      }),
    }),
    { maxLength: 4 },
  ).map((blocks) =>
    blocks.map(({ heading, lines }) => `## ${heading}\n\n${lines.join('\n')}\n`).join('\n'),
  );

  it('never loses a word: all of theirs is in the body or named as a conflict, all of ours stays', () => {
    assert(
      property(body, body, body, (base, ours, late) => {
        const merged = mergeBodies(base, ours, late);
        if (merged.conflicts.length > 0) return;
        // A section that we took out and they left alone is the one thing that may be missing.
        if (isContained(base, ours)) expect(isContained(late, merged.body)).toBe(true);
      }),
    );
  });

  it('changes no byte when there is nothing to bring in', () => {
    assert(
      property(body, body, (base, ours) => {
        expect(mergeBodies(base, ours, base)).toEqual({ body: ours, conflicts: [] });
        expect(mergeBodies(base, ours, ours).body).toBe(ours);
      }),
    );
  });
});
