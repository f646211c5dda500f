import { cleanText } from '../domain/clean-text.js';

export type Tone = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan';

/** Marks a piece of text with a tone; `renderText` turns the mark into a colour, or drops it. */
export function paint(tone: Tone, text: string): string {
  return `${MARKS[tone]}${text}${END}`;
}

/**
 * Human text as it may go to a terminal: everything but the marks of `paint` is cleaned, so that
 * nothing an agent wrote can steer the terminal.
 */
export function renderText(text: string, colors: 'colors' | 'plain'): string {
  return text
    .split(ANY_MARK)
    .map((piece) => {
      const code = CODES.get(piece);
      if (code === undefined) return cleanText(piece);
      return colors === 'colors' ? `\u001b[${code}m` : '';
    })
    .join('');
}

/** The text without the marks of `paint`. */
export function withoutPaint(text: string): string {
  return text.replace(ANY_MARKS, '');
}

// Private-use characters: an agent that writes one gets a harmless tone, never an escape sequence.
const MARKS: Readonly<Record<Tone, string>> = {
  green: '\ue001',
  red: '\ue002',
  yellow: '\ue003',
  dim: '\ue004',
  bold: '\ue005',
  cyan: '\ue006',
};
const END = '\ue000';
const CODES: ReadonlyMap<string, string> = new Map([
  [END, '0'],
  [MARKS.green, '32'],
  [MARKS.red, '31'],
  [MARKS.yellow, '33'],
  [MARKS.dim, '2'],
  [MARKS.bold, '1'],
  [MARKS.cyan, '36'],
]);
const ANY_MARK = /([\ue000-\ue006])/;
const ANY_MARKS = /[\ue000-\ue006]/g;
