import stringWidth from 'string-width';
import { cleanText } from '../domain/clean-text.js';

const ELLIPSIS = '…';
const SEGMENTER = new Intl.Segmenter();
// Nothing on a screen needs more; they bound the work that a hostile text can cause.
const LONGEST_FIELD = 1000;
const LONGEST_LINE = 4000;
// One column each, and by far the most of what is drawn: a line of code need not be measured.
const PLAIN_ASCII = /^[ -~]*$/u;

/** Text from a task, a file or an agent as one line that is safe to draw. */
export function oneLine(text: string): string {
  return cleanText(text.slice(0, LONGEST_FIELD)).replace(/\s+/gu, ' ').trim();
}

/** Text of several lines that is safe to draw, tabs spread out. */
export function cleanLines(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/u).map(cleanLine);
}

/** At most `width` columns of a line, ending in an ellipsis when something was cut. */
export function clip(text: string, width: number): string {
  if (width <= 0) return '';
  if (stringWidth(text) <= width) return text;
  return takeColumns(text, width - 1) + ELLIPSIS;
}

/** A line of exactly `width` columns. */
export function fit(text: string, width: number): string {
  const clipped = clip(text, width);
  return clipped + ' '.repeat(Math.max(0, width - stringWidth(clipped)));
}

/** A line broken at spaces, or inside a word that is longer than the width. */
export function wrap(text: string, width: number): readonly string[] {
  if (width <= 0) return [];
  if (stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/(?<= )/u)) {
    const columns = stringWidth(word.trimEnd());
    if (used + columns <= width) {
      line += word;
      used += word.endsWith(' ') ? columns + word.length - word.trimEnd().length : columns;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    const pieces = breakWord(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
    used = stringWidth(line);
  }
  return line.trimEnd() === '' ? lines : [...lines, line.trimEnd()];
}

/** Like wrap, but never more than `limit` lines; the last one shows that something was cut. */
export function wrapAtMost(text: string, width: number, limit: number): readonly string[] {
  if (limit <= 0) return [];
  // More than this cannot be shown, whatever spaces the breaks take away.
  const lines = wrap(takeColumns(text, (limit + 1) * (width + 1)), width);
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit - 1), clip(lines.slice(limit - 1).join(' '), width)];
}

export function graphemes(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), (part) => part.segment);
}

export function columnsOf(text: string): number {
  return stringWidth(text);
}

function cleanLine(line: string): string {
  return cleanText(line.slice(0, LONGEST_LINE).replaceAll('\t', '    ')).trimEnd();
}

function takeColumns(text: string, width: number): string {
  let taken = '';
  let used = 0;
  for (const part of SEGMENTER.segment(text)) {
    used += stringWidth(part.segment);
    if (used > width) break;
    taken += part.segment;
  }
  return taken;
}

function breakWord(word: string, width: number): readonly string[] {
  if (stringWidth(word.trimEnd()) <= width) return [word];
  if (PLAIN_ASCII.test(word)) return word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of SEGMENTER.segment(word)) {
    const columns = stringWidth(segment);
    if (used + columns > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += columns;
  }
  return [...pieces, piece];
}
