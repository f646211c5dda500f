export type ScannedLine = {
  readonly number: number;
  readonly start: number;
  /** Offset of the next line. */
  readonly end: number;
  /** Without its line ending. */
  readonly text: string;
  /** Inside a code fence, or one of its fences. */
  readonly isFenced: boolean;
  /** The title of a level-2 heading outside fences. */
  readonly heading: string | null;
};

export type ScannedMarkdown = {
  readonly lines: readonly ScannedLine[];
  /** The fence that is still open at the end, with the line it began on. */
  readonly openFence: { readonly fence: string; readonly line: number } | null;
};

/** Walks over a Markdown text once and marks what stands in code fences. */
export function scanMarkdown(text: string): ScannedMarkdown {
  const lines: ScannedLine[] = [];
  let open: ScannedMarkdown['openFence'] = null;
  for (let start = 0; start < text.length; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak + 1;
    const line = text.slice(start, lineBreak === -1 ? end : contentEnd(text, start, lineBreak));
    const number = lines.length + 1;
    const wasOpen = open !== null;
    if (open === null) {
      const fence = openingFence(line);
      if (fence !== null) open = { fence, line: number };
    } else if (closesFence(line, open.fence)) {
      open = null;
    }
    const isFenced = wasOpen || open !== null;
    const heading = isFenced ? null : headingOf(line);
    lines.push({ number, start, end, text: line, isFenced, heading });
    start = end;
  }
  return { lines, openFence: open };
}

function contentEnd(text: string, start: number, lineBreak: number): number {
  return lineBreak > start && text[lineBreak - 1] === '\r' ? lineBreak - 1 : lineBreak;
}

function openingFence(line: string): string | null {
  if (!line.includes('```') && !line.includes('~~~')) return null;
  const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line);
  if (fence?.[1] === undefined) return null;
  const isInlineCode = fence[1].startsWith('`') && fence[2]?.includes('`') === true;
  return isInlineCode ? null : fence[1];
}

function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length;
}

function headingOf(line: string): string | null {
  if (!line.startsWith('## ') && !line.startsWith('##\t')) return null;
  const title = line.slice(2).trim();
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  // Closing hashes count only behind a blank. A regular expression would be quadratic here.
  const hasClosing = end < title.length && /[ \t]/.test(title[end - 1] ?? '');
  return hasClosing ? title.slice(0, end).trimEnd() : title;
}
