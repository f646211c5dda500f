import type { Key } from 'ink';
import { graphemes } from './display-text.js';

/** One press of a key: its name in the key table, and the text it types, if any. */
export type KeyPress = { readonly name: string; readonly text: string | null };

export const PASTE_STARTS: KeyPress = { name: 'paste-starts', text: null };
export const PASTE_ENDS: KeyPress = { name: 'paste-ends', text: null };

/** Ink's input event as presses: fast typing and pastes arrive as one event of many characters. */
export function readKeys(input: string, key: Key): readonly KeyPress[] {
  const named = namedKey(key);
  if (named !== null) return [{ name: named, text: null }];
  if (input === '[200~') return [PASTE_STARTS];
  if (input === '[201~') return [PASTE_ENDS];
  if (key.meta || UNKNOWN_SEQUENCE.test(input)) return [];
  if (key.ctrl) return [{ name: `ctrl-${input}`, text: null }];
  return graphemes(input).flatMap(readCharacter);
}

// Ink has already taken off the escape character.
const UNKNOWN_SEQUENCE = /^\[[0-9;<=>?]*[A-Za-z~]$/u;

function namedKey(key: Key): string | null {
  if (key.tab) return key.shift ? 'shift-tab' : 'tab';
  if (key.return && key.meta) return 'newline';
  return NAMED.find(([property]) => key[property] === true)?.[1] ?? null;
}

// Terminals send DEL for the backspace key, which Ink calls `delete`.
const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
];

const CONTROL_NAMES: Readonly<Record<string, string>> = {
  '\r': 'enter',
  // Enter sends a carriage return; a bare line feed is Ctrl-J.
  '\n': 'newline',
  '\r\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007F': 'backspace',
};

function readCharacter(character: string): readonly KeyPress[] {
  const name = CONTROL_NAMES[character];
  if (name !== undefined) return [{ name, text: null }];
  const code = character.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26)
    return [{ name: `ctrl-${String.fromCodePoint(code + 96)}`, text: null }];
  return code < 32 ? [] : [{ name: character, text: character }];
}
