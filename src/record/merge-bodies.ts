import { scanMarkdown } from './scan-markdown.js';

/** A stretch of a body from one level-2 heading to the next; what comes before the first is one too. */
type Block = {
  /** The heading and which one of that name it is; two bodies' blocks of one key are the same part. */
  readonly key: string;
  readonly heading: string | null;
  readonly text: string;
};

/** A part in which both sides wrote something else: its heading, and the words that went not in. */
export type Conflict = { readonly heading: string; readonly text: string };

export type MergedBody = { readonly body: string; readonly conflicts: readonly Conflict[] };

/**
 * Brings what `late` changed since `base` into `ours`, block by block. Nothing is ever taken out: a
 * text that was cut off must not remove what others wrote. Where both changed a block, the one that
 * contains the other wins; else ours stays, and theirs is handed back.
 */
export function mergeBodies(base: string, ours: string, late: string): MergedBody {
  const before = new Map(splitBlocks(base).map((block) => [block.key, block]));
  const mine = splitBlocks(ours);
  const merged = [...mine];
  const conflicts: Conflict[] = [];
  let place = -1;
  for (const block of splitBlocks(late)) {
    const at = merged.findIndex(({ key }) => key === block.key);
    const was = before.get(block.key);
    const isNews = was === undefined ? isFilled(block) : !isSame(was, block);
    if (at === -1) {
      if (isNews && was === undefined) {
        // Behind others of its name, which would change places with it.
        const namesake = merged.findLastIndex(({ heading }) => heading === block.heading);
        place = Math.max(place, namesake) + 1;
        merged.splice(place, 0, block);
      } else if (isNews) conflicts.push(conflictOf(block));
      continue;
    }
    place = at;
    const current = merged[at];
    if (!isNews || current === undefined) continue;
    const chosen = choose(was, current, block);
    if (chosen === null) conflicts.push(conflictOf(block));
    else merged[at] = chosen;
  }
  return { body: joinBlocks(merged, mine), conflicts };
}

/**
 * A body of unknown age with the words put back that an edit (from `before` to `after`) brought in,
 * that stood in the file until `last`, and that it lacks. Whatever the edit did not write stays as it
 * is. Where both wrote something else, the edit stands and the body's words are handed back.
 */
export function putBackWords(
  {
    before,
    after,
    last,
  }: { readonly before: string; readonly after: string; readonly last: string },
  body: string,
): MergedBody {
  const was = new Map(splitBlocks(before).map((block) => [block.key, block]));
  const stood = new Map(splitBlocks(last).map((block) => [block.key, block]));
  const found = splitBlocks(body);
  const merged = [...found];
  const conflicts: Conflict[] = [];
  let place = -1;
  for (const block of splitBlocks(after)) {
    const at = merged.findIndex(({ key }) => key === block.key);
    const current = merged[at];
    const words = newLines(was.get(block.key), block);
    const isLeft = hasLines(stood.get(block.key), words);
    place = Math.max(place, at);
    if (words.length === 0 || !isLeft || hasLines(current, words)) continue;
    if (current === undefined) {
      place += 1;
      merged.splice(place, 0, block);
      continue;
    }
    const chosen = isOld(was.get(block.key), current) ? block : choose(undefined, block, current);
    merged[at] = chosen ?? block;
    if (chosen === null) conflicts.push(conflictOf(current));
  }
  return { body: joinBlocks(merged, found), conflicts };
}

function isOld(was: Block | undefined, current: Block): boolean {
  return was !== undefined && isSame(was, current);
}

/** The lines with words in them that a block has and its older state had not. */
function newLines(was: Block | undefined, block: Block): readonly string[] {
  const known = new Set(was === undefined ? [] : linesOf(was));
  return linesOf(block).filter((line) => line.trim() !== '' && !known.has(line));
}

function hasLines(block: Block | undefined, lines: readonly string[]): boolean {
  return block !== undefined && countKnown(linesOf(block), lines) === lines.length;
}

/** Whether everything that a body says stands in the other one too. */
export function isContained(body: string, other: string): boolean {
  const there = new Map(splitBlocks(other).map((block) => [block.key, block]));
  return splitBlocks(body).every((block) => {
    const counterpart = there.get(block.key);
    if (counterpart === undefined) return !isFilled(block);
    return hasLinesOf(counterpart, block);
  });
}

function choose(was: Block | undefined, ours: Block, late: Block): Block | null {
  if (was !== undefined && isSame(was, ours)) return late;
  if (hasLinesOf(ours, late)) return ours;
  if (hasLinesOf(late, ours)) return late;
  return was === undefined ? null : appendTail(was, ours, late);
}

/** Ours with what late has appended, if that is all it did, and ours still has all it began from. */
function appendTail(was: Block, ours: Block, late: Block): Block | null {
  const begun = linesOf(was);
  const lines = linesOf(late);
  const isAppended = begun.every((line, index) => lines[index] === line);
  const known = countKnown(linesOf(ours), lines);
  // Two that fill an empty section say the same thing differently; that is for a person to see.
  const isBegun = was.heading === null || begun.slice(1).some((line) => line.trim() !== '');
  if (!isAppended || !isBegun || known < begun.length) return null;
  const eol = ours.text.includes('\r\n') ? '\r\n' : '\n';
  const words = ours.text.trimEnd();
  const space = ours.text.slice(words.length) || eol;
  const tail = lines.slice(known).join(eol);
  const text = words === '' ? `${tail}${space}` : `${words}${eol}${tail}${space}`;
  return isOneBlock(text, ours) ? { ...ours, text } : null;
}

/** Whether a text is a single part with that heading, in which no fence stays open. */
function isOneBlock(text: string, { heading }: Block): boolean {
  const { lines, openFence } = scanMarkdown(text);
  const headings = lines.filter((line) => line.heading !== null);
  return openFence === null && headings.length === (heading === null ? 0 : 1);
}

/** Whether a block holds every line of another one, in its order. */
function hasLinesOf(block: Block, other: Block): boolean {
  return hasLines(block, linesOf(other));
}

/** How many of some lines, from the first, are among others in their order. */
function countKnown(among: readonly string[], lines: readonly string[]): number {
  let from = 0;
  const missing = lines.findIndex((line) => {
    const at = among.indexOf(line, from);
    from = at + 1;
    return at === -1;
  });
  return missing === -1 ? lines.length : missing;
}

function linesOf({ text }: Block): readonly string[] {
  const words = plain(text);
  return words === '' ? [] : words.split('\n');
}

function splitBlocks(body: string): readonly Block[] {
  const starts = scanMarkdown(body).lines.filter((line) => line.heading !== null);
  const first = { key: '', heading: null, text: body.slice(0, starts[0]?.start ?? body.length) };
  const seen = new Map<string, number>();
  return [
    first,
    ...starts.map(({ heading, start }, index): Block => {
      const name = heading ?? '';
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      const text = body.slice(start, starts[index + 1]?.start ?? body.length);
      return { key: `${nth} ${name}`, heading, text };
    }),
  ];
}

/** Blocks as one body. A block with a new neighbour is ended so that it cannot swallow it. */
function joinBlocks(blocks: readonly Block[], ours: readonly Block[]): string {
  return blocks
    .map((block, index) => {
      const next = blocks[index + 1];
      const place = ours.indexOf(block);
      const isOldNeighbour = place !== -1 && ours[place + 1] === next;
      return next === undefined || isOldNeighbour || block.text === ''
        ? block.text
        : ended(block.text);
    })
    .join('');
}

function ended(text: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const { openFence } = scanMarkdown(text);
  const whole = text.endsWith('\n') ? text : `${text}${eol}`;
  const closed = openFence === null ? whole : `${whole}${openFence.fence}${eol}`;
  return /(?:^|\n)\r?\n$/.test(closed) ? closed : `${closed}${eol}`;
}

function isSame(one: Block, other: Block): boolean {
  return plain(one.text) === plain(other.text);
}

function isFilled({ text }: Block): boolean {
  return plain(text) !== '';
}

function conflictOf({ heading, text }: Block): Conflict {
  return { heading: heading ?? '', text };
}

function plain(text: string): string {
  return text.replace(/\r\n/g, '\n').trimEnd();
}
