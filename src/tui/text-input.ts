import { columnsOf, graphemes, oneLine } from './display-text.js';

/** A text being typed, as whole characters, with the cursor before the character at that index. */
export type TextInput = { readonly characters: readonly string[]; readonly cursor: number };

export const EMPTY_INPUT: TextInput = { characters: [], cursor: 0 };

export type TextEdit =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'newline' }
  | { readonly kind: 'delete-back' }
  | { readonly kind: 'delete-forward' }
  | { readonly kind: 'delete-word' }
  | { readonly kind: 'delete-to-start' }
  | { readonly kind: 'left' }
  | { readonly kind: 'right' }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

/** The edit for a field of one line, where a line break is a space. */
export function inOneLine(edit: TextEdit): TextEdit {
  return edit.kind === 'newline' ? { kind: 'insert', text: ' ' } : edit;
}

export function inputText(input: TextInput): string {
  return input.characters.join('');
}

export function editText(input: TextInput, edit: TextEdit): TextInput {
  const { characters, cursor } = input;
  switch (edit.kind) {
    case 'insert':
      return insert(input, typed(edit.text));
    case 'newline':
      return insert(input, '\n');
    case 'delete-back':
      return remove(input, cursor - 1, cursor);
    case 'delete-forward':
      return remove(input, cursor, cursor + 1);
    case 'delete-word':
      return remove(input, wordStart(input), cursor);
    case 'delete-to-start':
      return remove(input, 0, cursor);
    case 'left':
      return { characters, cursor: Math.max(0, cursor - 1) };
    case 'right':
      return { characters, cursor: Math.min(characters.length, cursor + 1) };
    case 'start':
      return { characters, cursor: 0 };
    case 'end':
      return { characters, cursor: characters.length };
  }
}

/** The part of a text, as one line, that fits into `width` columns with the cursor in sight. */
export function inputWindow(
  input: TextInput,
  width: number,
): { readonly before: string; readonly at: string; readonly after: string } {
  const shown = input.characters.map(asShown);
  const at = shown[input.cursor] ?? ' ';
  let start = input.cursor;
  let room = width - Math.max(1, columnsOf(at));
  while (start > 0 && room - columnsOf(shown[start - 1] ?? '') >= 0) {
    start -= 1;
    room -= columnsOf(shown[start] ?? '');
  }
  let end = input.cursor + 1;
  while (end < shown.length && room - columnsOf(shown[end] ?? '') >= 0) {
    room -= columnsOf(shown[end] ?? '');
    end += 1;
  }
  return {
    before: shown.slice(start, input.cursor).join(''),
    at,
    after: shown.slice(input.cursor + 1, end).join(''),
  };
}

/** The text as one line, its line breaks made visible. */
export function inputLine(input: TextInput): string {
  return input.characters.map(asShown).join('');
}

function asShown(character: string): string {
  return character === '\n' ? '↵' : character;
}

function isGap(character: string | undefined): boolean {
  return character === ' ' || character === '\n';
}

function insert(input: TextInput, text: string): TextInput {
  const before = input.characters.slice(0, input.cursor).join('') + text;
  const after = input.characters.slice(input.cursor).join('');
  // Joined before it is cut into characters: a combining mark belongs to what stands before it.
  return { characters: graphemes(before + after), cursor: graphemes(before).length };
}

// A single space must survive; pasted text loses its line breaks.
function typed(text: string): string {
  return text === ' '
    ? text
    : (/^\s/u.test(text) ? ' ' : '') + oneLine(text) + (/\s$/u.test(text) ? ' ' : '');
}

function remove(input: TextInput, from: number, to: number): TextInput {
  const start = Math.max(0, from);
  const characters = [...input.characters.slice(0, start), ...input.characters.slice(to)];
  return { characters, cursor: Math.min(start, characters.length) };
}

function wordStart(input: TextInput): number {
  let index = input.cursor;
  while (index > 0 && isGap(input.characters[index - 1])) index -= 1;
  while (index > 0 && !isGap(input.characters[index - 1])) index -= 1;
  return index;
}
