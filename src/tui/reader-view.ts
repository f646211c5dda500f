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

/** Where the changes of each file begin among the lines of a diff. */
export function fileStarts(reader: Reader, width: number): readonly number[] {
  return readerLines(reader, width).flatMap(([first], index) =>
    first?.tone === STRONG && first.text.startsWith(FILE_HEAD) ? [index] : [],
  );
}

const FILE_HEAD = 'diff --git';

/** How each line of a diff is drawn; only titles and the heads of files begin with a word. */
function diffTones(lines: readonly string[]): readonly Tone[] {
  let isHead = false;
  return lines.map((line) => {
    const first = line.charAt(0);
    isHead = first !== '@' && (isHead || line.startsWith(FILE_HEAD));
    return isHead ? STRONG : (TONES[first] ?? STRONG);
  });
}

const TONES: Readonly<Record<string, Tone>> = {
  '@': KEY,
  '+': GOOD,
  '-': BAD,
  ' ': PLAIN,
  '\\': QUIET,
};
