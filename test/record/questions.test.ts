import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { formatItem, readQuestions } from '../../src/record/questions.js';
import { appendToSection, readSections } from '../../src/record/sections.js';

const read = (Questions: string, Answers = '') =>
  readQuestions({ Questions, Answers }).map(
    ({ number, text, isAnswered }) => `${number} ${isAnswered ? 'answered' : 'open'} ${text}`,
  );

describe('questions', () => {
  it.each([
    ['1. Red?\n2. Or blue?', ['1 open Red?', '2 open Or blue?']],
    ['1) Red?\n   Dark red?\n\n2) Blue?', ['1 open Red?\n   Dark red?', '2 open Blue?']],
    ['1. Red?\n1. Blue?', ['1 open Red?', '2 open Blue?']],
    ['Before I go on:\n\n1. Red?', ['1 open Red?']],
    ['Which one:\n- red\n- blue', ['1 open red', '2 open blue']],
    ['1. Which one?\n- red\n- blue', ['1 open Which one?\n- red\n- blue']],
    ['Shall it be red?\nI think so.', ['1 open Shall it be red?\nI think so.']],
    ['Shall it be red?\n\n2. How big?', ['1 open Shall it be red?', '2 open How big?']],
    ['- red?\n- blue?\n\n3. How big?', ['1 open red?', '2 open blue?', '3 open How big?']],
    ['### Q1: Red?\n### Q2:\nBlue?', ['1 open Red?', '2 open Blue?']],
    ['**1.** Red?\n**2.** Blue?', ['1 open Red?', '2 open Blue?']],
    ['1. Red?\u2028Or not?\r?\n2. Blue?', ['1 open Red?\u2028Or not?\r?', '2 open Blue?']],
    ['- red?\u2029\n- blue?', ['1 open red?', '2 open blue?']],
    ['Is 1.5 seconds enough?', ['1 open Is 1.5 seconds enough?']],
    [
      '1. Like this?\n```\n2. not a question\n```',
      ['1 open Like this?\n```\n2. not a question\n```'],
    ],
    ['', []],
    ['  \n', []],
  ])('ORA-41 are read from what an agent wrote: %j', (section, expected) => {
    expect(read(section)).toEqual(expected);
  });

  it.each([
    ['1. Yes.', [true, false, false]],
    ['2. Yes.\n\n1. No.', [true, true, false]],
    ['1, 3. Both.', [true, false, true]],
    ['1–3. All of them.', [true, true, true]],
    ['A2: Yes.', [false, true, false]],
    ['2. The new one.\u2028Not the old.', [false, true, false]],
    ['Yes to everything.', [false, false, false]],
    ['   1. not in the first column', [false, false, false]],
  ])('are answered by items of the same number: %j', (answers, expected) => {
    const questions = readQuestions({ Questions: '1. a\n2. b\n3. c', Answers: answers });
    expect(questions.map(({ isAnswered }) => isAnswered)).toEqual(expected);
  });

  it('an item keeps to itself, whatever its text looks like', () => {
    expect(formatItem('2', 'First.\n\n3. not an item\n## no heading')).toBe(
      '2. First.\n\n   3. not an item\n   ## no heading\n',
    );
    expect(formatItem('', ' plain \n')).toBe('plain\n');
    expect(formatItem('2', 'One.\u2028Two.\u0085Three.')).toBe('2. One.\n   Two.\n   Three.\n');
  });

  it('what stands in a section stays byte for byte when something is appended', () => {
    const body = '\n## Questions\n\n*  odd   spacing \n1. Red?\n\n## Plan\n\nAPPROACH: x\n';
    expect(appendToSection(body, 'Questions', '2. Blue?\n')).toBe(
      '\n## Questions\n\n*  odd   spacing \n1. Red?\n\n2. Blue?\n\n## Plan\n\nAPPROACH: x\n',
    );
    expect(appendToSection('\n## Plan\n\nx\n', 'Answers', '1. Yes.\n')).toBe(
      '\n## Answers\n\n1. Yes.\n\n## Plan\n\nx\n',
    );
    expect(appendToSection('## Questions\r\n\r\n1. Red?', 'Questions', '2. Blue?\n')).toBe(
      '## Questions\r\n\r\n1. Red?\r\n\r\n2. Blue?\r\n',
    );
  });

  it('a fence left open by hand is closed before something is appended', () => {
    const body = '## Questions\n\n1. Like this?\n```\ncode\n';
    const appended = appendToSection(body, 'Questions', '2. Or else?\n');
    expect(appended).toBe(`${body}\`\`\`\n\n2. Or else?\n`);
    expect(readQuestions(readSections(appended).sections)).toHaveLength(2);
  });

  it('any text that is asked is one question, and every other byte stays', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '#', '1', '.', '`', '-', '\r', '\u0085', '\u2028'),
      minLength: 1,
    });
    fc.assert(
      fc.property(
        text.filter((each) => each.trim() !== ''),
        text,
        (question, before) => {
          const body = `\n## Questions\n\n1. known\n\n## Plan\n\n${before}\n`;
          const asked = appendToSection(body, 'Questions', formatItem('2', question));
          const { sections } = readSections(asked);
          expect(readQuestions(sections).map(({ number }) => number)).toEqual([1, 2]);
          expect(sections.Plan).toBe(readSections(body).sections.Plan);
        },
      ),
    );
  });
});
