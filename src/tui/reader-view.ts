import { clip, wrap } from './display-text.js';
import { BAD, GOOD, KEY, type Line, PLAIN, QUIET, STRONG, span, type Tone } from './palette.js';
import type { Reader } from './ui-state.js';

export function readerTitle(reader: Reader, width: number): Line {
  return [span(clip(reader.title, width), STRONG)];
}

/** The reader's text broken to the width; kept, because scrolling asks for it at every key. */
export function readerLines({ lines, look }: Reader, width: number): readonly Line[] {
  if (lines === null) return [[span('reading…', QUIET)]];
  const known = WRAPPED.get(lines);
  if (known?.width === width) return known.wrapped;
  const tones = look === 'diff' ? diffTones(lines) : [];
  const wrapped = lines.flatMap((line, index) =>
    wrap(line, width).map((part): Line => [span(part, tones[index] ?? PLAIN)]),
  );
  WRAPPED.set(lines, { width, wrapped });
  return wrapped;
}

const WRAPPED = new WeakMap<
  readonly string[],
  { readonly width: number; readonly wrapped: readonly Line[] }
>();

const CHANGES: Readonly<Record<string, Tone>> = { '+': GOOD, '-': BAD };

/** How each line of a diff is drawn: what is above the first hunk of a file is its head. */
function diffTones(lines: readonly string[]): readonly Tone[] {
  let isHead = false;
  return lines.map((line) => {
    if (line.startsWith('@@')) {
      isHead = false;
      return KEY;
    }
    if (line.startsWith('diff --git ')) isHead = true;
    return isHead ? STRONG : (CHANGES[line.charAt(0)] ?? PLAIN);
  });
}
