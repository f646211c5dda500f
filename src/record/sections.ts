import { createHash } from 'node:crypto';
import {
  SECTION_NAMES,
  type Artifacts,
  type HandoffFields,
  type PlanFields,
  type SectionName,
  type Sections,
  type Verdict,
} from '../domain/section.js';
import { readQuestions } from './questions.js';
import { scanMarkdown } from './scan-markdown.js';
import { touchingPaths } from './touching-paths.js';

/** One section as it stands in a body. Lines and offsets count from the start of the body. */
export type PlacedSection = {
  readonly name: SectionName;
  readonly line: number;
  readonly start: number;
  readonly contentStart: number;
  /** Where the next level-2 heading begins, or the body ends. */
  readonly end: number;
};

export type SectionReading = {
  readonly sections: Sections;
  readonly duplicates: readonly { readonly name: SectionName; readonly line: number }[];
};

const PLAN_FIELDS = ['APPROACH', 'TOUCHING', 'RISKS'] as const;
const HANDOFF_FIELDS = ['DONE', 'REMAINING', 'DECISIONS', 'UNCERTAIN'] as const;

/** The texts of the known sections; the first of a name wins. */
export function readSections(body: string): SectionReading {
  const sections: Partial<Record<SectionName, string>> = {};
  const duplicates: { name: SectionName; line: number }[] = [];
  for (const { name, line, contentStart, end } of placeSections(body)) {
    if (sections[name] === undefined) sections[name] = contentOf(body.slice(contentStart, end));
    else duplicates.push({ name, line });
  }
  return { sections, duplicates };
}

/** Every known section in file order, duplicates too. */
export function placeSections(body: string): readonly PlacedSection[] {
  const headings = scanMarkdown(body).lines.filter((line) => line.heading !== null);
  return headings.flatMap((line, index) => {
    const name = SECTION_NAMES.find((known) => known === line.heading);
    if (name === undefined) return [];
    const end = headings[index + 1]?.start ?? body.length;
    return [{ name, line: line.number, start: line.start, contentStart: line.end, end }];
  });
}

/** The sections that count: the first of each name. */
export function firstOfEach(sections: readonly PlacedSection[]): readonly PlacedSection[] {
  const first = new Map<SectionName, PlacedSection>();
  for (const section of sections) if (!first.has(section.name)) first.set(section.name, section);
  return [...first.values()];
}

/** What the gates look at. */
export function artifactsOf(sections: Sections): Artifacts {
  const plan = planFields(sections.Plan ?? '');
  const handoff = handoffFields(sections.Handoff ?? '');
  return {
    hasValidPlan: hasContent(plan.APPROACH) || hasContent(plan.TOUCHING),
    hasValidHandoff: HANDOFF_FIELDS.some((field) => hasContent(handoff[field])),
    verdict: verdictOf(sections.Review ?? ''),
    planDigest: digestOf(sections.Plan),
    handoffDigest: digestOf(sections.Handoff),
    contextDigest: digestOf(sections.Context),
    reviewDigest: digestOf(sections.Review),
    questions: readQuestions(sections),
    touching: touchingPaths(plan.TOUCHING ?? ''),
  };
}

export function planFields(section: string): PlanFields {
  return readFields(section, PLAN_FIELDS);
}

export function handoffFields(section: string): HandoffFields {
  return readFields(section, HANDOFF_FIELDS);
}

/** The verdict on the first line that is not blank; anything but the exact words is none. */
export function verdictOf(section: string): Verdict | null {
  const first = section.split(/\r?\n/).find((line) => line.trim() !== '') ?? '';
  const word = /^verdict: (pass|fail)[ \t]*$/i.exec(first)?.[1]?.toUpperCase();
  return word === 'PASS' || word === 'FAIL' ? word : null;
}

/**
 * Cuts out every section of that name: of two, the second would count as soon as the first is gone.
 * `removed` is their text with the headings.
 */
export function removeSection(
  body: string,
  name: SectionName,
): { readonly body: string; readonly removed: string | null } {
  const sections = placeSections(body).filter((placed) => placed.name === name);
  if (sections.length === 0) return { body, removed: null };
  const ends = [0, ...sections.map(({ end }) => end)];
  const starts = [...sections.map(({ start }) => start), body.length];
  return {
    body: ends.map((end, index) => body.slice(end, starts[index])).join(''),
    removed: sections.map(({ start, end }) => body.slice(start, end)).join(''),
  };
}

/** Gives a section its text, or adds it in its conventional place. */
export function setSection(body: string, name: SectionName, text: string): string {
  return replaceSection(body, name, text) ?? insertSection(body, name, text);
}

/** Gives an existing section a new text; null when there is none of that name. */
export function replaceSection(body: string, name: SectionName, text: string): string | null {
  const section = placeSections(body).find((placed) => placed.name === name);
  if (section === undefined) return null;
  const eol = lineEndingOf(body);
  const heading = body.slice(section.start, section.contentStart);
  const isHeadingOpen = !heading.endsWith('\n');
  const content = contained(text, eol);
  const gap = section.end < body.length ? eol : '';
  return (
    body.slice(0, section.contentStart) +
    `${isHeadingOpen ? eol : ''}${eol}${content}${content === '' ? '' : gap}` +
    body.slice(section.end)
  );
}

/** Adds a text behind what a section has, which stays byte for byte; makes the section if need be. */
export function appendToSection(body: string, name: SectionName, text: string): string {
  const section = placeSections(body).find((placed) => placed.name === name);
  if (section === undefined) return insertSection(body, name, text);
  const eol = lineEndingOf(body);
  const before = body.slice(0, section.end);
  const after = body.slice(section.end);
  return `${before}${gapAfter(before, eol)}${contained(text, eol)}${after === '' ? '' : eol}${after}`;
}

function insertSection(body: string, name: SectionName, text: string): string {
  const eol = lineEndingOf(body);
  const content = contained(text, eol);
  const section = `## ${name}${eol}${content === '' ? '' : `${eol}${content}`}`;
  const rank = SECTION_NAMES.indexOf(name);
  const next = placeSections(body).find((placed) => SECTION_NAMES.indexOf(placed.name) > rank);
  const before = body.slice(0, next?.start ?? body.length);
  const after = body.slice(before.length);
  return `${before}${gapAfter(before, eol)}${section}${after === '' ? '' : eol}${after}`;
}

/** Ends what is open at the end of a body and leaves one blank line. */
function gapAfter(body: string, eol: string): string {
  const lineEnd = body === '' || body.endsWith('\n') ? '' : eol;
  const { openFence } = scanMarkdown(body);
  if (openFence !== null) return `${lineEnd}${openFence.fence}${eol}${eol}`;
  return /(?:^|\n)\r?\n$/.test(body) ? '' : `${lineEnd}${eol}`;
}

/** A text that cannot end its section early or swallow the next one. */
function contained(text: string, eol: string): string {
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
  if (trimmed === '') return '';
  const { lines, openFence } = scanMarkdown(trimmed);
  const safe = lines.map((line) => (line.heading === null ? line.text : `#${line.text}`));
  if (openFence !== null) safe.push(openFence.fence);
  return safe.map((line) => `${line}${eol}`).join('');
}

function lineEndingOf(body: string): '\n' | '\r\n' {
  return body[body.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n';
}

function contentOf(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

// A line inside a code fence never begins a field: it is an example.
function readFields<Name extends string>(
  section: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const fields: Partial<Record<Name, string>> = {};
  let current: Name | null = null;
  for (const line of scanMarkdown(section).lines) {
    const name: Name | undefined = line.isFenced
      ? undefined
      : names.find((known) => line.text.startsWith(`${known}:`));
    if (name !== undefined) {
      current = name;
      fields[name] = joined(fields[name], line.text.slice(name.length + 1).trim());
    } else if (current !== null) {
      fields[current] = joined(fields[current], line.text);
    }
  }
  for (const name of names) {
    if (fields[name] !== undefined) fields[name] = fields[name].trim();
  }
  return fields;
}

function joined(before: string | undefined, line: string): string {
  return before === undefined || before === '' ? line : `${before}\n${line}`;
}

function hasContent(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

function digestOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  return createHash('sha256').update(text.trim()).digest('hex').slice(0, 16);
}
