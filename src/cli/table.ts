import { cleanText, clipText, textWidth } from '../domain/clean-text.js';
import { paint, withoutPaint, type Tone } from './paint.js';

export type Cell = string | { readonly text: string; readonly tone: Tone };

/** Text of any origin as one clean line. */
export function oneLine(text: string): string {
  return withoutPaint(cleanText(text)).replace(/\s+/gu, ' ').trim();
}

/** A number with its noun: 1 task, 2 tasks. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** At most `width` columns of a line; a cut shows as an ellipsis. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return width <= 1 ? clipText(text, width) : `${clipText(text, width - 1)}…`;
}

/**
 * Rows as aligned columns, each line at most `columns` wide. The column named by `flexible` gives
 * way first; where that is not enough, it goes and the others do.
 */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  layout: { readonly columns: number; readonly flexible: number },
): string {
  const cells = rows.map((row) => row.map(toCell));
  const widths = shrink(naturalWidths(cells), layout);
  return cells.map((row) => formatRow(row, widths)).join('\n');
}

/** Pieces joined into lines of at most `columns`, each line after the first indented. */
export function wrapPieces(
  pieces: readonly string[],
  layout: { readonly columns: number; readonly indent: number; readonly gap: string },
): string {
  if (layout.columns === Number.POSITIVE_INFINITY) return pieces.join(layout.gap);
  const lines: string[] = [];
  let line: string | null = null;
  for (const piece of pieces) {
    const longer: string = line === null ? piece : `${line}${layout.gap}${piece}`;
    if (line === null || textWidth(withoutPaint(longer)) <= layout.columns) {
      line = longer;
      continue;
    }
    lines.push(line.trimEnd());
    line = ' '.repeat(layout.indent) + piece;
  }
  return [...lines, ...(line === null ? [] : [line])].join('\n');
}

/** Text broken at spaces into lines of at most `columns`, indented after the first. */
export function wrapText(text: string, columns: number, indent: number): string {
  return wrapPieces(text.split(' '), { columns, indent, gap: ' ' });
}

type PlainCell = { readonly text: string; readonly tone: Tone | null };
const GAP = 1;
const NARROWEST = 8;

function toCell(cell: Cell): PlainCell {
  return typeof cell === 'string'
    ? { text: oneLine(cell), tone: null }
    : { text: oneLine(cell.text), tone: cell.tone };
}

function naturalWidths(rows: readonly (readonly PlainCell[])[]): readonly number[] {
  const length = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length }, (_unused, index) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[index]?.text ?? '')), 0),
  );
}

function shrink(
  widths: readonly number[],
  layout: { readonly columns: number; readonly flexible: number },
): readonly number[] {
  const shrunk = [...widths];
  const others = widths.map((_width, index) => index).filter((index) => index !== layout.flexible);
  let excess = total(shrunk) - layout.columns;
  const squeeze = (index: number, narrowest: number): void => {
    const width = shrunk[index] ?? 0;
    const cut = Math.min(Math.max(0, excess), Math.max(0, width - narrowest));
    shrunk[index] = width - cut;
    excess -= cut;
  };
  squeeze(layout.flexible, NARROWEST);
  for (const index of others) squeeze(index, 2 * NARROWEST);
  squeeze(layout.flexible, 0);
  for (const narrowest of [NARROWEST, 4, 1, 0])
    for (const index of others) squeeze(index, narrowest);
  return shrunk;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);
}

function formatRow(row: readonly PlainCell[], widths: readonly number[]): string {
  const last = row.length - 1;
  return row
    .map((cell, index) => {
      const width = widths[index] ?? 0;
      const text = clip(cell.text, width);
      const padding = index === last ? '' : ' '.repeat(width - textWidth(text));
      return (cell.tone === null || text === '' ? text : paint(cell.tone, text)) + padding;
    })
    .join(' '.repeat(GAP))
    .trimEnd();
}
