/** What a tmux server tells a control client of its own accord, as far as orange listens. */
export type ControlNotice =
  | { readonly kind: 'window-added'; readonly windowId: string }
  | { readonly kind: 'window-closed'; readonly windowId: string }
  | { readonly kind: 'renamed' }
  | { readonly kind: 'exit'; readonly reason: string };

export type ControlAnswer = { readonly isRefused: boolean; readonly output: string };

export type ControlEvent =
  | ControlNotice
  | ({ readonly kind: 'answer' } & ControlAnswer)
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * Reads what a control client prints. An answer to our commands is framed by tmux in lines that
 * also an agent could put on its screen, and so into an answer. Therefore each call is followed by a
 * sign that nobody can know, and what comes before the sign belongs to the call: only its last
 * command may print what an agent wrote.
 */
export class ControlReader {
  #rest = '';
  #lines: string[] = [];
  #size = 0;
  #expected: { readonly sign: string; readonly commands: number } | null = null;
  #strayBlock: string | null = null;

  expect(sign: string, commands: number): void {
    this.#expected = { sign, commands };
  }

  read(text: string): readonly ControlEvent[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE_LENGTH) return [broken('a line without end')];
    return lines.flatMap((line) => this.#take(line));
  }

  /** Why the client went, where it said so while an answer was awaited. */
  lastWords(): string | null {
    const [notice] = readNotice(this.#lines.at(-1) ?? '');
    return notice?.kind === 'exit' ? notice.reason : null;
  }

  #take(line: string): readonly ControlEvent[] {
    if (this.#expected === null) return this.#takeStray(line);
    this.#lines.push(line);
    this.#size += line.length + 1;
    if (this.#size > MAX_ANSWER_LENGTH) return [broken('an answer without end')];
    const start = this.#lines.length - 3;
    if (this.#lines[start + 1] !== this.#expected.sign || !isBlock(this.#lines, start)) return [];
    const body = this.#lines.slice(0, start);
    const { commands } = this.#expected;
    this.#lines = [];
    this.#size = 0;
    this.#expected = null;
    return readBody(body, commands);
  }

  /** Between our calls there are notices, and the answers to the command line of the client. */
  #takeStray(line: string): readonly ControlEvent[] {
    if (this.#strayBlock !== null) {
      if (isEndOf(line, this.#strayBlock)) this.#strayBlock = null;
      return [];
    }
    this.#strayBlock = guardOf(line, '%begin');
    return this.#strayBlock === null ? readNotice(line) : [];
  }
}

const MAX_LINE_LENGTH = 1024 * 1024;
const MAX_ANSWER_LENGTH = 16 * 1024 * 1024;

/** What identifies a block: the time, the number and the flags behind its opening word. */
function guardOf(line: string, word: '%begin' | '%end' | '%error'): string | null {
  if (!line.startsWith(`${word} `)) return null;
  const guard = line.slice(word.length + 1);
  return /^\d+ \d+ \d+$/.test(guard) ? guard : null;
}

function isEndOf(line: string, guard: string): boolean {
  return guardOf(line, '%end') === guard || guardOf(line, '%error') === guard;
}

/** Whether three lines from here on are one whole successful block. */
function isBlock(lines: readonly string[], start: number): boolean {
  const guard = guardOf(lines[start] ?? '', '%begin');
  return guard !== null && guardOf(lines[start + 2] ?? '', '%end') === guard;
}

function readBody(body: readonly string[], commands: number): readonly ControlEvent[] {
  const pieces = cutBody(body, commands);
  if (pieces === null) return [broken('an answer without its end')];
  const answers = pieces.filter((piece) => piece.kind === 'answer');
  const refused = answers.find(({ isRefused }) => isRefused);
  const isWhole = refused === undefined ? answers.length === commands : refused === answers.at(-1);
  if (!isWhole) return [broken('too many or too few answers')];
  const lines = refused?.lines ?? answers.flatMap((piece) => piece.lines);
  const output = lines.map((line) => `${line}\n`).join('');
  return [
    ...pieces.flatMap((piece) => (piece.kind === 'between' ? readNotice(piece.line) : [])),
    { kind: 'answer', isRefused: refused !== undefined, output },
  ];
}

type Piece =
  | { readonly kind: 'between'; readonly line: string }
  /** To the command line of the client, not to us. */
  | { readonly kind: 'stray' }
  | { readonly kind: 'answer'; readonly isRefused: boolean; readonly lines: readonly string[] };

function cutBody(body: readonly string[], commands: number): readonly Piece[] | null {
  const pieces: Piece[] = [];
  let answers = 0;
  for (let at = 0; at < body.length; at += 1) {
    const guard = guardOf(body[at] ?? '', '%begin');
    if (guard === null) {
      pieces.push({ kind: 'between', line: body[at] ?? '' });
      continue;
    }
    const isOurs = guard.endsWith(' 1');
    if (isOurs) answers += 1;
    const end = findEnd(body, guard, { from: at + 1, isLast: isOurs && answers === commands });
    if (end === -1) return null;
    const isRefused = guardOf(body[end] ?? '', '%error') !== null;
    const lines = body.slice(at + 1, end);
    pieces.push(isOurs ? { kind: 'answer', isRefused, lines } : { kind: 'stray' });
    at = end;
  }
  return pieces;
}

/** The last command's end is the last line that could be it: what stands before it may be a fake. */
function findEnd(
  body: readonly string[],
  guard: string,
  { from, isLast }: { readonly from: number; readonly isLast: boolean },
): number {
  const isEnd = (line: string, at: number): boolean => at >= from && isEndOf(line, guard);
  return isLast ? body.findLastIndex(isEnd) : body.findIndex(isEnd);
}

function readNotice(line: string): readonly ControlEvent[] {
  if (!line.startsWith('%')) return [broken('text outside of an answer')];
  const [word = '', ...rest] = line.split(' ');
  switch (word) {
    case '%window-add':
    case '%unlinked-window-add':
      return [{ kind: 'window-added', windowId: rest[0] ?? '' }];
    case '%window-close':
    case '%unlinked-window-close':
      return [{ kind: 'window-closed', windowId: rest[0] ?? '' }];
    case '%session-renamed':
    case '%window-renamed':
    case '%unlinked-window-renamed':
      return [{ kind: 'renamed' }];
    case '%exit':
      return [{ kind: 'exit', reason: rest.join(' ') }];
    default:
      return [];
  }
}

function broken(reason: string): ControlEvent {
  return { kind: 'broken', reason };
}
