import type { Diagnostic } from '../domain/diagnostic.js';
import { errorAt, type DiagnosticCode } from './diagnostic-codes.js';

export const MAX_TASK_FILE_BYTES = 256 * 1024;
export const MAX_FRONTMATTER_BYTES = 16 * 1024;
const MAX_BLANK_RUN = 3;

/** A file cut in three; head + frontmatter + fence + body is the file again. */
export type FrontmatterParts = {
  /** The byte order mark, if any, and the opening line. */
  readonly head: string;
  /** The lines between the fences, each with its line ending. */
  readonly frontmatter: string;
  /** The closing line with its line ending, if it has one. */
  readonly fence: string;
  readonly body: string;
  /** The line ending of the opening line; new lines get the same. */
  readonly lineEnding: '\n' | '\r\n';
  /** Line number of the first body line. */
  readonly bodyLine: number;
};

export type Split =
  | { readonly ok: true; readonly parts: FrontmatterParts }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Finds frontmatter and body in linear time, and refuses what no honest file contains. */
export function splitFrontmatter(text: string, file: string): Split {
  const refuse = (code: DiagnosticCode, line: number, [message, fix]: Words): Split => ({
    ok: false,
    diagnostics: [errorAt(code, { file, line, message, fix })],
  });
  if (text.length > MAX_TASK_FILE_BYTES || Buffer.byteLength(text) > MAX_TASK_FILE_BYTES) {
    return refuse('ORA002', 1, TOO_LARGE);
  }
  if (/^[\s\0\uFEFF]*$/.test(text)) return refuse('ORA005', 1, SAYS_NOTHING);
  const nul = text.indexOf('\0');
  if (nul !== -1) return refuse('ORA003', lineAt(text, nul), HAS_NUL);
  const opening = /^\uFEFF?---(\r?\n)/.exec(text);
  if (opening === null) return refuse('ORA010', 1, NOT_OPENED);
  const head = opening[0];
  const closing = findClosing(text, head.length);
  if (closing === null) return refuse('ORA011', 1, NOT_CLOSED);
  const frontmatter = text.slice(head.length, closing.start);
  const problem = findProblem(frontmatter);
  if (problem !== null) return refuse(problem.code, problem.line + 1, problem.words);
  const fence = text.slice(closing.start, closing.end);
  return {
    ok: true,
    parts: {
      head,
      frontmatter,
      fence,
      body: text.slice(closing.end),
      lineEnding: opening[1] === '\r\n' ? '\r\n' : '\n',
      bodyLine: countLines(frontmatter) + 3,
    },
  };
}

type Words = readonly [message: string, fix: string];
type Problem = { readonly code: DiagnosticCode; readonly line: number; readonly words: Words };

const TOO_LARGE: Words = [
  'the file is larger than 256 KiB',
  'move long text into a file of its own',
];
const SAYS_NOTHING: Words = ['the file says nothing', 'put it back from a copy'];
const HAS_NUL: Words = ['the file contains a NUL character', 'save it as UTF-8 text'];
const NOT_OPENED: Words = [
  'the first line is not `---`',
  'begin the file with a line that is exactly ---',
];
const NOT_CLOSED: Words = [
  'the frontmatter has no closing `---` line',
  'end the frontmatter with a line that is exactly ---',
];

function findClosing(
  text: string,
  from: number,
): { readonly start: number; readonly end: number } | null {
  const closing = /^---(?:\r?\n|\r?$(?![\s\S]))/gm;
  closing.lastIndex = from;
  const found = closing.exec(text);
  return found === null ? null : { start: found.index, end: found.index + found[0].length };
}

function findProblem(frontmatter: string): Problem | null {
  if (Buffer.byteLength(frontmatter) > MAX_FRONTMATTER_BYTES) {
    return {
      code: 'ORA012',
      line: 1,
      words: ['the frontmatter is larger than 16 KiB', 'keep long text in the body'],
    };
  }
  let blankRun = 0;
  for (const [index, line] of frontmatter.split('\n').entries()) {
    const content = line.endsWith('\r') ? line.slice(0, -1) : line;
    blankRun = content.trim() === '' ? blankRun + 1 : 0;
    const problem = findLineProblem(content, blankRun);
    if (problem !== null) return { ...problem, line: index + 1 };
  }
  return null;
}

function findLineProblem(content: string, blankRun: number): Omit<Problem, 'line'> | null {
  if (blankRun > MAX_BLANK_RUN) {
    return { code: 'ORA013', words: ['too many blank lines in a row', 'remove the blank lines'] };
  }
  if (CONTROL.test(content)) {
    return {
      code: 'ORA014',
      words: ['the line contains a control character', 'remove it, or write it escaped in quotes'],
    };
  }
  if (content.startsWith('---')) {
    return {
      code: 'ORA015',
      words: [
        'the line begins with `---` but is not a closing line',
        'write exactly --- or nothing',
      ],
    };
  }
  return null;
}

// C0 but tab, DEL, C1, and the marks that other YAML readers take for line breaks or skip.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/;

function lineAt(text: string, offset: number): number {
  return countLines(text.slice(0, offset)) + 1;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
