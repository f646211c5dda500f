import type { FrontmatterValue } from '../domain/task.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';

const MAX_LINES = 60;
const MAX_ITEMS = 60;
const MAX_KEY_LENGTH = 64;

/**
 * Reads frontmatter of the kind orange itself writes: one `key: value` per line, the value a plain
 * text, a text in double quotes, or a flat list of words. Null for everything else, which is then
 * left to the YAML reader; what is read here, that one reads alike, many times more slowly.
 */
export function readPlainLines(frontmatter: string): readonly FrontmatterEntry[] | null {
  const entries: FrontmatterEntry[] = [];
  const keys = new Set<string>();
  let items = 0;
  for (let start = 0; start < frontmatter.length; ) {
    const lineBreak = frontmatter.indexOf('\n', start);
    if (lineBreak === -1 || entries.length === MAX_LINES) return null;
    const colon = frontmatter.indexOf(': ', start);
    if (colon === -1 || colon > lineBreak) return null;
    const key = frontmatter.slice(start, colon);
    const value = readPlainValue(frontmatter.slice(colon + 2, lineBreak));
    if (!KEY.test(key) || key.length > MAX_KEY_LENGTH || keys.has(key)) return null;
    if (value === undefined) return null;
    if (Array.isArray(value)) items += value.length;
    if (items > MAX_ITEMS) return null;
    keys.add(key);
    entries.push({
      key,
      value,
      line: entries.length + 2,
      start,
      afterColon: colon + 1,
      valueStart: colon + 2,
      valueEnd: lineBreak,
      end: lineBreak + 1,
    });
    start = lineBreak + 1;
  }
  return entries;
}

const KEY = /^[a-z][a-z0-9_]*$/;
// Nothing that begins another kind of value, a comment or a nested key, and no mark that YAML readers
// take for a line break or a blank.
const PLAIN =
  // oxlint-disable-next-line no-control-regex
  /^[A-Za-z0-9/](?:[^:#\t\r\u0000-\u001F\u007F-\u00A0\u2000-\u206F\u3000\uD800-\uDFFF\uFEFF]|:(?=[^\s:#]))*$/;
const QUOTED =
  // oxlint-disable-next-line no-control-regex
  /^"(?:[^"\\\t\r\u0000-\u001F\u007F-\u00A0\u2028\u2029\uD800-\uDFFF\uFEFF]|\\["\\bfnrt])*"$/;
const WORDS = /^\[(?:[A-Za-z0-9][A-Za-z0-9_./-]*(?:, [A-Za-z0-9][A-Za-z0-9_./-]*)*)?\]$/;
const NULL_WORDS: ReadonlySet<string> = new Set(['null', 'Null', 'NULL']);

function readPlainValue(text: string): FrontmatterValue | undefined {
  if (QUOTED.test(text)) return String(JSON.parse(text));
  if (WORDS.test(text)) return text === '[]' ? [] : text.slice(1, -1).split(', ').map(readWord);
  return PLAIN.test(text) && !text.endsWith(' ') ? readWord(text) : undefined;
}

function readWord(text: string): string | null {
  return NULL_WORDS.has(text) ? null : text;
}
