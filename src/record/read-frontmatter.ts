import matter from 'gray-matter';
import { isMap, parseDocument, type Pair, type YAMLError } from 'yaml';
import type { Diagnostic } from '../domain/diagnostic.js';
import { errorAt, warningAt, type DiagnosticCode } from './diagnostic-codes.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';
import { findYamlHazard, type YamlHazard } from './find-yaml-hazard.js';
import { readPlainLines } from './read-plain-lines.js';
import { endOf, keyOf, lineOf, RESERVED_KEY, startOf, valueOf } from './yaml-value.js';

const MAX_TOKENS = 1000;

export type FrontmatterReading =
  | {
      readonly ok: true;
      readonly entries: readonly FrontmatterEntry[];
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads the lines that splitFrontmatter let through. The only place that knows gray-matter: it is
 * called with options (which turns its cache off) on a document with bare fences, and every engine
 * of its own is replaced.
 */
export function readFrontmatter(frontmatter: string, file: string): FrontmatterReading {
  const plain = readPlainLines(frontmatter);
  return plain === null
    ? readByYaml(frontmatter, file)
    : { ok: true, entries: plain, diagnostics: [] };
}

/** The same without the short cut; `readPlainLines` is tested against it. */
export function readByYaml(frontmatter: string, file: string): FrontmatterReading {
  let reading: FrontmatterReading = { ok: true, entries: [], diagnostics: [] };
  const refuseLanguage = (): object => {
    reading = refused({ code: 'ORA010', file, line: 1, what: NAMES_A_LANGUAGE });
    return {};
  };
  const denied = { parse: refuseLanguage };
  matter(`---\n${frontmatter}---\n`, {
    language: 'yaml',
    engines: {
      yaml: {
        parse: (text) => {
          // gray-matter hands over the line break of the opening line and keeps the last one.
          reading = readYaml(`${text.slice(1)}\n`, file);
          return {};
        },
      },
      json: denied,
      javascript: denied,
      js: denied,
      coffee: denied,
      toml: denied,
    },
  });
  return reading;
}

const NAMES_A_LANGUAGE = ['the opening line names a language', 'write exactly ---'] as const;

function refused(problem: {
  readonly code: DiagnosticCode;
  readonly file: string;
  readonly line: number;
  readonly what: readonly [message: string, fix: string];
}): FrontmatterReading {
  const [message, fix] = problem.what;
  return {
    ok: false,
    diagnostics: [errorAt(problem.code, { file: problem.file, line: problem.line, message, fix })],
  };
}

function readYaml(text: string, file: string): FrontmatterReading {
  const hazard = findYamlHazard(text, MAX_TOKENS);
  if (hazard !== null) {
    return refused({ ...HAZARDS[hazard.kind], file, line: hazard.line + 1 });
  }
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: true,
    merge: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const error = document.errors[0];
  if (error !== undefined) return refuseYaml(error, text, file);
  if (document.contents === null) return { ok: true, entries: [], diagnostics: [] };
  if (!isMap(document.contents) || document.contents.flow === true) {
    return refused({ code: 'ORA020', file, line: 2, what: NOT_LINES });
  }
  return readEntries(document.contents.items, text, file);
}

const HAZARDS: Readonly<
  Record<
    YamlHazard['kind'],
    { readonly code: DiagnosticCode; readonly what: readonly [message: string, fix: string] }
  >
> = {
  alias: {
    code: 'ORA017',
    what: ['anchors, aliases and tags are not read', 'write the value out, or put it in quotes'],
  },
  depth: {
    code: 'ORA018',
    what: ['the value is nested too deeply', 'flatten it, or put the text in quotes'],
  },
  brackets: {
    code: 'ORA016',
    what: ['not valid YAML: a bracket or comma too many', 'put the value in double quotes'],
  },
  size: { code: 'ORA018', what: ['too many values', 'keep long lists in the body'] },
};

const NOT_LINES = [
  'the frontmatter is not made of `key: value` lines',
  'write one `key: value` per line, starting in the first column',
] as const;

function refuseYaml(error: YAMLError, text: string, file: string): FrontmatterReading {
  const line = lineOf(text, error.pos[0]) + 1;
  if (error.code === 'DUPLICATE_KEY') {
    return refused({
      code: 'ORA019',
      file,
      line,
      what: ['the key stands twice', 'remove one of the two lines'],
    });
  }
  const reason = error.message.split('\n')[0] ?? error.code;
  return refused({
    code: 'ORA016',
    file,
    line,
    what: [
      `not valid YAML: ${reason}`,
      'put the value in double quotes, e.g. summary: "Fix: the bug"',
    ],
  });
}

function readEntries(items: readonly Pair[], text: string, file: string): FrontmatterReading {
  const entries: FrontmatterEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const pair of items) {
    const entry = readEntry(pair, text);
    if (entry === null) {
      const line = lineOf(text, startOf(pair.key)) + 1;
      return refused({ code: 'ORA020', file, line, what: NOT_LINES });
    }
    if (entry.key === RESERVED_KEY) diagnostics.push(ignoredKey(file, entry.line));
    else entries.push(entry);
  }
  return { ok: true, entries, diagnostics };
}

function readEntry(pair: Pair, text: string): FrontmatterEntry | null {
  const key = keyOf(pair);
  const start = startOf(pair.key);
  if (key === null || key === '' || (start > 0 && text[start - 1] !== '\n')) return null;
  const colon = /^[ \t]*:/.exec(text.slice(endOf(pair.key)));
  if (colon === null) return null;
  const afterColon = endOf(pair.key) + colon[0].length;
  const valueStart = Math.max(startOf(pair.value), afterColon);
  const valueEnd = withoutLineBreak(text, Math.max(endOf(pair.value), valueStart));
  const lineBreak = text.indexOf('\n', valueEnd);
  return {
    key,
    value: valueOf(pair.value),
    line: lineOf(text, start) + 1,
    start,
    afterColon,
    valueStart,
    valueEnd,
    end: lineBreak === -1 ? text.length : lineBreak + 1,
  };
}

function withoutLineBreak(text: string, end: number): number {
  if (text[end - 1] !== '\n') return end;
  return text[end - 2] === '\r' ? end - 2 : end - 1;
}

function ignoredKey(file: string, line: number): Diagnostic {
  return warningAt('ORA021', {
    file,
    line,
    message: `the key ${RESERVED_KEY} is not read`,
    fix: 'rename it',
  });
}
