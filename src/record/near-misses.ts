import { SECTION_NAMES, type SectionName } from '../domain/section.js';
import type { DiagnosticCode } from './diagnostic-codes.js';
import { scanMarkdown, type ScannedLine } from './scan-markdown.js';
import { firstOfEach, placeSections, verdictOf } from './sections.js';

/** A line that almost says something; line numbers count from the start of the body. */
type NearMiss = {
  readonly code: DiagnosticCode;
  readonly severity: 'warning';
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** A lone "Plan:" in prose is no mistake once that section is there. */
  readonly about: SectionName | null;
};

const FIELDS: Readonly<Partial<Record<SectionName, readonly string[]>>> = {
  Plan: ['APPROACH', 'TOUCHING', 'RISKS'],
  Handoff: ['DONE', 'REMAINING', 'DECISIONS', 'UNCERTAIN'],
};

// A line that is meant as a title, a field or a verdict and still longer is nobody's mistake.
const MAX_LINE_LENGTH = 200;

/** Finds what agents write when they mean a section, a field or a verdict. */
export function findNearMisses(body: string): readonly NearMiss[] {
  const lines = scanMarkdown(body).lines.filter(
    ({ text }) => text.length > 0 && text.length <= MAX_LINE_LENGTH,
  );
  const sections = firstOfEach(placeSections(body));
  const present = new Set(sections.map(({ name }) => name));
  const misses = lines.flatMap((line) => nearSection(line));
  for (const section of sections) {
    const inside = lines.filter(
      (line) => line.start >= section.contentStart && line.end <= section.end,
    );
    const names = FIELDS[section.name];
    if (names !== undefined) misses.push(...inside.flatMap((line) => nearField(line, names)));
    if (section.name === 'Review') misses.push(...nearVerdict(inside));
  }
  return misses.filter((miss) => miss.about === null || !present.has(miss.about));
}

function warning(
  code: DiagnosticCode,
  line: ScannedLine,
  words: readonly [message: string, fix: string, about?: SectionName],
): NearMiss {
  const [message, fix, about = null] = words;
  return { code, severity: 'warning', line: line.number, message, fix, about };
}

function nearSection(line: ScannedLine): readonly NearMiss[] {
  const title =
    /^[ \t]*(#{1,6}[ \t]*)?(?:\*\*|__)?([A-Za-z]+)(?:\*\*|__)?(:)?(?:\*\*|__)?[ \t]*$/.exec(
      line.text,
    );
  const name = SECTION_NAMES.find((known) => known.toLowerCase() === title?.[2]?.toLowerCase());
  const isTitle = title?.[1] !== undefined || title?.[3] !== undefined || /[*_]{2}/.test(line.text);
  if (name === undefined || !isTitle || line.heading === name) return [];
  if (line.isFenced) {
    return /^##[ \t]/.test(line.text)
      ? [
          warning('ORA055', line, [
            `## ${name} stands inside a code fence`,
            'close the fence before it',
            name,
          ]),
        ]
      : [];
  }
  return [
    warning('ORA052', line, [
      `this is not a ${name} section`,
      `write exactly \`## ${name}\``,
      name,
    ]),
  ];
}

function nearField(line: ScannedLine, names: readonly string[]): readonly NearMiss[] {
  const field =
    /^[ \t]*([-*+][ \t]+|\d+[.)][ \t]+)?(\*\*|__|`)?([A-Za-z]+)(?:\*\*|__|`)?[ \t]*:/.exec(
      line.text,
    );
  const written = field?.[3];
  const name = names.find((known) => known === written?.toUpperCase());
  if (line.isFenced || name === undefined || line.text.startsWith(`${name}:`)) return [];
  const fix = `write \`${name}: …\` at the start of the line`;
  return written === name
    ? [warning('ORA054', line, [`${name} does not begin the line`, fix])]
    : [warning('ORA053', line, [`the field is called ${name}, in capitals`, fix])];
}

const OTHER_VERDICTS: readonly (readonly [pattern: RegExp, verdict: 'PASS' | 'FAIL'])[] = [
  [/^(?:approved?|passed|ok|lgtm|accepted?|yes|success)$/i, 'PASS'],
  [/^(?:needs[ _-]changes|changes[ _-]requested|blocked|reject(?:ed)?|failed|no)$/i, 'FAIL'],
];

function nearVerdict(lines: readonly ScannedLine[]): readonly NearMiss[] {
  const first = lines.find((line) => line.text.trim() !== '');
  if (first === undefined || verdictOf(first.text) !== null) return [];
  const bare = first.text
    .replace(/[*`]|__/g, '')
    .replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]*/, '')
    .trim();
  const said =
    /^(?:(?:final[ \t]+)?verdict[ \t]*[:=-]?[ \t]*)?(.*?)[ \t.!]*$/is.exec(bare)?.[1] ?? '';
  if (/^(?:pass|fail)$/i.test(said)) {
    const fix = `make the line exactly \`Verdict: ${said.toUpperCase()}\``;
    return [warning('ORA050', first, ['the verdict is not written as plain text', fix])];
  }
  const meant = OTHER_VERDICTS.find(([pattern]) => pattern.test(said))?.[1];
  if (meant === undefined) return [];
  const fix = `make the line exactly \`Verdict: ${meant}\``;
  return [warning('ORA051', first, [`${JSON.stringify(said)} is not a verdict`, fix])];
}
