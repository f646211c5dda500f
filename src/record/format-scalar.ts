import type { FrontmatterValue } from '../domain/task.js';

/** One value on one line, quoted only where a YAML reader would take it for something else. */
export function formatValue(value: FrontmatterValue): string {
  return typeof value === 'string' ? formatScalar(value) : formatFlow(value);
}

/** A text as the value of a `key: value` line. */
export function formatScalar(text: string): string {
  return isPlain(text) ? text : quote(text);
}

function formatFlow(value: FrontmatterValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return formatInFlow(value);
  if (isList(value)) return `[${value.map(formatFlow).join(', ')}]`;
  const pairs = Object.entries(value).map(
    ([key, item]) => `${formatInFlow(key)}: ${formatFlow(item)}`,
  );
  return `{${pairs.length === 0 ? '' : ` ${pairs.join(', ')} `}}`;
}

function isList(value: object): value is readonly FrontmatterValue[] {
  return Array.isArray(value);
}

function formatInFlow(text: string): string {
  return isPlain(text) && !/[,[\]{}:?]/.test(text) ? text : quote(text);
}

function isPlain(text: string): boolean {
  return (
    text !== '' &&
    text === text.trim() &&
    !OTHER_TYPES.some((pattern) => pattern.test(text)) &&
    !BAD_START.test(text) &&
    !BAD_INSIDE.test(text)
  );
}

// What YAML 1.1 and 1.2 readers turn into null, booleans, numbers, times and merge keys.
const OTHER_TYPES = [
  /^(?:~|null|true|false|yes|no|on|off|y|n|=|<<)$/i,
  /^[-+]?(?:0b[01_]+|0x[0-9a-f_]+|0o[0-7_]+|[0-9][0-9_]*(?::[0-9]{1,2})*)$/i,
  /^[-+]?(?:[0-9][0-9_]*(?::[0-9]{1,2})*\.?[0-9_]*|\.[0-9_]+)(?:e[-+]?[0-9]+)?$/i,
  /^[-+]?\.(?:inf|nan)$/i,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?$/,
  /^(?:---|\.\.\.)/,
];
const BAD_START = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?:\s|$))/;
// oxlint-disable-next-line no-control-regex
const BAD_INSIDE = /:\s|:$|\s#|["\\]|[\u0000-\u001F\u007F-\u00A0\u2028\u2029\uFEFF\uD800-\uDFFF]/u;
// Escaped although JSON would let them stand: other readers break lines at them or refuse them.
const UNSAFE_IN_QUOTES = /[\u007F-\u00A0\u2028\u2029\uFEFF]/g;

function quote(text: string): string {
  return JSON.stringify(text).replace(
    UNSAFE_IN_QUOTES,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
