/** The demo agent's own small view of TASK.md; every byte outside the edited section stays. */

type Span = { readonly start: number; readonly bodyStart: number; readonly end: number };

/** The text of a section without its heading, or null when there is none. */
export function sectionOf(text: string, name: string): string | null {
  const span = findSection(text, name);
  return span === null ? null : text.slice(span.bodyStart, span.end).trim();
}

/** The file with the section's text replaced where it stands, or added at the end. */
export function withSection(text: string, name: string, content: string): string {
  const section = `## ${name}\n\n${content}\n`;
  const span = findSection(text, name);
  if (span !== null) {
    const rest = text.slice(span.end);
    return `${text.slice(0, span.start)}${section}${rest === '' ? '' : `\n${rest}`}`;
  }
  const gap = /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${section}`;
}

/** A plain frontmatter field as text, without quotes; null when it is absent. */
export function fieldOf(text: string, name: string): string | null {
  const line = frontmatterLines(text).find((entry) => entry.startsWith(`${name}:`));
  if (line === undefined) return null;
  const value = line.slice(name.length + 1).trim();
  const single = /^'(.*)'$/.exec(value)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const double = /^"(.*)"$/.exec(value)?.[1];
  return double === undefined ? value : double.replace(/\\(["\\])/g, '$1');
}

/** The file with another `status:`; to orange that is a request, like `orange task update`. */
export function withStatus(text: string, status: string): string {
  const current = frontmatterLines(text).find((line) => line.startsWith('status:'));
  return current === undefined ? text : text.replace(`\n${current}`, `\nstatus: ${status}`);
}

function frontmatterLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines[0] === '---' ? lines.slice(1, lines.indexOf('---', 1)) : [];
}

function findSection(text: string, name: string): Span | null {
  const headings = headingsOf(text);
  const index = headings.findIndex((heading) => heading.name === name);
  const heading = headings[index];
  if (heading === undefined) return null;
  return {
    start: heading.start,
    bodyStart: heading.bodyStart,
    end: headings[index + 1]?.start ?? text.length,
  };
}

type Heading = { readonly name: string; readonly start: number; readonly bodyStart: number };

/** Headings of level 2 outside code fences. */
function headingsOf(text: string): readonly Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  for (const line of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line[0])?.[1] ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) === true) fence = null;
    const name = fence === null ? /^## (.*?)\s*$/.exec(line[0])?.[1] : undefined;
    if (name !== undefined) {
      headings.push({ name, start: line.index, bodyStart: line.index + line[0].length });
    }
  }
  return headings;
}
