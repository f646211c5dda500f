import { clip, columnsOf } from './display-text.js';
import { type Line, type Span, span } from './palette.js';

/** A line of at most `width` columns; what does not fit is cut from its end. */
export function clipLine(line: Line, width: number): Line {
  const kept: Span[] = [];
  let room = width;
  for (const part of line) {
    if (room <= 0) break;
    const text = clip(part.text, room);
    kept.push(text === part.text ? part : span(text, part.tone));
    room -= columnsOf(text);
  }
  return kept;
}
