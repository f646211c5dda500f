/** The escape sequences that turn one frame on the screen into the next: only changed lines are drawn. */
export function paintFrame(shown: readonly string[], next: readonly string[]): string {
  const changed = next.flatMap((line, index) =>
    line === shown[index] ? [] : [`${at(index)}${ERASE_LINE}${line}${RESET}`],
  );
  const rest = shown.length > next.length ? `${at(next.length)}${ERASE_BELOW}` : '';
  const drawing = changed.join('') + rest;
  return drawing === '' ? '' : `${BEGIN_UPDATE}${drawing}${END_UPDATE}`;
}

// Erased before it is written: after a line of full width the cursor still stands on its last column.
const ERASE_LINE = '\u001B[2K';
const ERASE_BELOW = '\u001B[J';
const RESET = '\u001B[0m';
// Terminals that know synchronized output show the frame at once; others ignore these.
const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

function at(index: number): string {
  return `\u001B[${index + 1};1H`;
}
