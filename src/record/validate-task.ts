import type { Diagnostic } from '../domain/diagnostic.js';
import type { SectionName } from '../domain/section.js';
import { errorAt, warningAt, type DiagnosticCode } from './diagnostic-codes.js';
import { findNearMisses } from './near-misses.js';
import { scanMarkdown } from './scan-markdown.js';
import {
  artifactsOf,
  firstOfEach,
  handoffFields,
  placeSections,
  planFields,
  readSections,
  type PlacedSection,
} from './sections.js';
import { splitFrontmatter } from './split-frontmatter.js';
import { touchingPaths } from './touching-paths.js';
import { parseTaskFile, type TaskFileContext } from './task-file.js';

// Nobody reads more of them at once, and a hostile file could have one per line.
const MAX_FINDINGS = 100;

/** Everything `orange validate` has to say about a TASK.md, in file order. */
export function validateTask(
  text: string,
  file: string,
  context: TaskFileContext = {},
): readonly Diagnostic[] {
  const { diagnostics } = parseTaskFile(text, file, context);
  const split = splitFrontmatter(text, file);
  if (!split.ok) return diagnostics;
  const { body, bodyLine } = split.parts;
  const findings = [...checkSections(body), ...checkFences(body), ...findNearMisses(body)];
  const placed = findings.map(({ code, severity, line, message, fix }) =>
    (severity === 'error' ? errorAt : warningAt)(code, {
      file,
      line: line + bodyLine - 1,
      message,
      fix,
    }),
  );
  return [...diagnostics, ...placed].toSorted((a, b) => a.line - b.line).slice(0, MAX_FINDINGS);
}

/** A finding whose line counts from the start of the body. */
type BodyFinding = {
  readonly code: DiagnosticCode;
  readonly severity: Diagnostic['severity'];
  readonly line: number;
  readonly message: string;
  readonly fix: string;
};

function checkSections(body: string): readonly BodyFinding[] {
  const { sections, duplicates } = readSections(body);
  const artifacts = artifactsOf(sections);
  const findings: BodyFinding[] = duplicates.map(({ name, line }) => ({
    code: 'ORA040',
    severity: 'error',
    line,
    message: `## ${name} stands twice; only the first counts`,
    fix: `merge the two ${name} sections`,
  }));
  const placed = firstOfEach(placeSections(body));
  const lineOf = (name: SectionName): number =>
    placed.find((section) => section.name === name)?.line ?? 1;
  if (sections.Plan !== undefined && !artifacts.hasValidPlan) {
    findings.push(invalidPlan(sections.Plan, lineOf('Plan')));
  }
  if (sections.Handoff !== undefined && !artifacts.hasValidHandoff) {
    findings.push({
      code: 'ORA042',
      severity: 'error',
      line: lineOf('Handoff'),
      message: 'the Handoff has no field with content',
      fix: 'add a line such as `DONE: what is finished`',
    });
  }
  if (sections.Review !== undefined && artifacts.verdict === null) {
    findings.push({
      code: 'ORA043',
      severity: 'error',
      line: lineOf('Review'),
      message: 'the Review does not begin with a verdict',
      fix: 'make its first line `Verdict: PASS` or `Verdict: FAIL`',
    });
  }
  return [...findings, ...placed.flatMap((section) => checkFields(body, section))];
}

function invalidPlan(plan: string, line: number): BodyFinding {
  const onlyRisks = (planFields(plan).RISKS ?? '') !== '';
  return {
    code: 'ORA041',
    severity: 'error',
    line,
    message: onlyRisks ? 'the Plan has only RISKS' : 'the Plan has neither APPROACH nor TOUCHING',
    fix: 'add a line such as `APPROACH: how you will do it`',
  };
}

function checkFields(body: string, section: PlacedSection): readonly BodyFinding[] {
  if (section.name !== 'Plan' && section.name !== 'Handoff') return [];
  const text = body.slice(section.contentStart, section.end);
  const fields = section.name === 'Plan' ? planFields(text) : handoffFields(text);
  const lines = scanMarkdown(text).lines;
  const lineOf = (field: string): number =>
    section.line + (lines.find((line) => line.text.startsWith(`${field}:`))?.number ?? 0);
  const empty = Object.entries(fields)
    .filter(([, content]) => content === '')
    .map(
      ([field]): BodyFinding => ({
        code: 'ORA044',
        severity: 'warning',
        line: lineOf(field),
        message: `${field} is empty`,
        fix: `write something after \`${field}:\`, or remove the line`,
      }),
    );
  if (section.name !== 'Plan') return empty;
  const outside = touchingPaths(planFields(text).TOUCHING ?? '').filter(isOutside);
  return [
    ...empty,
    ...outside.map(
      (path): BodyFinding => ({
        code: 'ORA045',
        severity: 'warning',
        line: lineOf('TOUCHING'),
        message: `TOUCHING names ${JSON.stringify(path)}, which is not inside the repository`,
        fix: 'write paths relative to the top of the repository',
      }),
    ),
  ];
}

function isOutside(path: string): boolean {
  return /^(?:[/~]|[A-Za-z]:[\\/])/.test(path) || path.split('/').includes('..');
}

function checkFences(body: string): readonly BodyFinding[] {
  const { openFence } = scanMarkdown(body);
  if (openFence === null) return [];
  return [
    {
      code: 'ORA056',
      severity: 'warning',
      line: openFence.line,
      message: 'the code fence is never closed: everything behind it is code',
      fix: `add a line \`${openFence.fence}\` where the code ends`,
    },
  ];
}
