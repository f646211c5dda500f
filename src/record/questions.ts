import type { Question, Sections } from '../domain/section.js';
import { scanMarkdown } from './scan-markdown.js';

/** What is asked, and whether Answers has an item of the same number. */
export function readQuestions(sections: Sections): readonly Question[] {
  const answered = answeredNumbers(sections.Answers ?? '');
  return asked(sections.Questions ?? '').map(({ number, text }) => ({
    number,
    text: text.slice(0, LONGEST_QUESTION),
    isAnswered: answered.has(number),
  }));
}

/** A text as one item of a section; further lines are indented, so that none of them begins another. */
export function formatItem(label: string, text: string): string {
  const lines = text.replace(ANY_LINE_END, '\n').trim().split('\n');
  if (label === '') return `${lines.join('\n')}\n`;
  const mark = `${label}. `;
  const indent = ' '.repeat(Math.min(mark.length, 4));
  const [first = '', ...rest] = lines;
  const below = rest.map((line) => (line.trim() === '' ? '' : `${indent}${line}`));
  return `${[`${mark}${first}`.trimEnd(), ...below].join('\n')}\n`;
}

const ANY_LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

const LONGEST_QUESTION = 4000;
const MOST_QUESTIONS = 100;

type Asked = { readonly number: number; readonly text: string };

/**
 * Numbered items are questions. What stands before the first of them is an introduction, unless the
 * numbers begin later: then, and without any numbers, each bullet is a question, or all of it is one.
 */
function asked(section: string): readonly Asked[] {
  const { before, items } = readItems(section, NUMBERED);
  const numbered = items.map(({ label, text }) => ({ number: numbersOf(label)[0] ?? 0, text }));
  const unnumbered = numbered[0]?.number === 1 ? [] : readUnnumbered(before);
  const found: Asked[] = [];
  for (const { number, text } of [...unnumbered, ...numbered].slice(0, MOST_QUESTIONS)) {
    // Markdown lets every item be called 1.
    const last = found.at(-1)?.number ?? 0;
    found.push({ number: number > last ? number : last + 1, text });
  }
  return found;
}

function readUnnumbered(text: string): readonly Asked[] {
  const { items } = readItems(text, BULLET);
  const texts = items.length > 0 ? items.map((item) => item.text) : [text.trim()];
  return texts
    .filter((each) => each !== '')
    .map((each, index) => ({ number: index + 1, text: each }));
}

function answeredNumbers(section: string): ReadonlySet<number> {
  return new Set(readItems(section, NUMBERED).items.flatMap(({ label }) => numbersOf(label)));
}

// What is pasted may have separators of lines in it that are none here, and that only the flag s
// lets the dot match. Agents also write `### Q2:` and `**2.** …`; one answer may be to several questions.
const NUMBERED =
  /^(?:#{3,6} +)?(?:\*\*|__)?(?:[QA]|Question |Answer )?(\d{1,3}(?:(?:, ?| and | ?[-–] ?)\d{1,3}){0,99})(?:\*\*|__)?[.):](?:\*\*|__)?(?: +(.*))?$/is;
const BULLET = /^([-*+]) +(.*)$/s;

type Items = {
  readonly before: string;
  readonly items: readonly { readonly label: string; readonly text: string }[];
};

/** The items of a list whose marks stand in the first column, outside code fences. */
function readItems(text: string, mark: RegExp): Items {
  const before: string[] = [];
  const items: { label: string; lines: string[] }[] = [];
  for (const line of scanMarkdown(text).lines) {
    const begun = line.isFenced ? null : mark.exec(line.text);
    if (begun !== null) items.push({ label: begun[1] ?? '', lines: [begun[2] ?? ''] });
    else (items.at(-1)?.lines ?? before).push(line.text);
  }
  return {
    before: before.join('\n'),
    items: items.map(({ label, lines }) => ({ label, text: lines.join('\n').trim() })),
  };
}

function numbersOf(label: string): readonly number[] {
  return label.split(/, ?| and /).flatMap((part) => {
    const [from = 0, to = from] = part.split(/ ?[-–] ?/).map(Number);
    return Array.from({ length: Math.max(1, to - from + 1) }, (_, index) => from + index);
  });
}
