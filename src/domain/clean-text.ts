/**
 * Text fit for a terminal or a file: escape sequences, control characters other than newline and
 * tab, and invisible formatting characters (bidi overrides, joiners) are gone; the rest is kept.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(STRING_SEQUENCE, '')
    .replace(CONTROL_SEQUENCE, '')
    .replace(SHORT_SEQUENCE, '')
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(UNPRINTABLE, (character) => (KEPT.has(character) ? character : ''));
}

/**
 * Text fit for a terminal in which nothing is hidden, for whoever has to judge it: what `cleanText`
 * drops shows by its name, and so does what this program marks tones with.
 */
export function revealText(text: string): string {
  return text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(HIDDEN, (character) => (KEPT.has(character) ? character : nameOf(character)));
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return `^${String.fromCodePoint(code + 0x40)}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Cuts a line of text to a number of terminal columns, wide characters counting two. */
export function clipText(text: string, width: number): string {
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > width) return kept;
    kept += character;
  }
  return kept;
}

/** How many terminal columns a line of text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

const ESC = '\u001b';
const BEL = '\u0007';
const ST = '\u009c';
// OSC, DCS, SOS, PM and APC run to their terminator; one that never ends swallows its line only.
const STRING_SEQUENCE = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^${BEL}${ESC}${ST}\\n]*(?:${BEL}|${ESC}\\\\|${ST})?`,
  'g',
);
const CONTROL_SEQUENCE = new RegExp(`(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`, 'g');
const SHORT_SEQUENCE = new RegExp(`${ESC}[ -/]*[0-~]?`, 'g');
const LONE_SURROGATE = /\p{Surrogate}/gu;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ue000-\ue00f]/gu;
const KEPT: ReadonlySet<string> = new Set(['\n', '\t']);

const COMBINING = /^[\p{Mn}\p{Me}]$/u;
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function columnsOf(character: string): number {
  if (COMBINING.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return WIDE_RANGES.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
