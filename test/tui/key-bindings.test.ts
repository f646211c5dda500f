import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { helpLines } from '../../src/tui/dialog-view.js';
import { findBinding, KEY_BINDINGS } from '../../src/tui/key-bindings.js';
import { keyLabel } from '../../src/tui/key-label.js';
import { readKeys } from '../../src/tui/read-keys.js';

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

function names(input: string, key: Partial<Key> = {}): readonly string[] {
  return readKeys(input, { ...NO_KEY, ...key }).map((press) => press.name);
}

describe('the key table', () => {
  it('gives no key two meanings in one place', () => {
    const keys = KEY_BINDINGS.flatMap((binding) =>
      binding.keys.map((key) => `${binding.scope} ${key}`),
    );
    expect(keys).toEqual([...new Set(keys)]);
  });

  it('lets Ctrl-C quit everywhere', () => {
    for (const scope of ['list', 'reader', 'confirm', 'form', 'prompt'] as const) {
      expect(findBinding(scope, 'ctrl-c')?.command).toEqual({ kind: 'plain', name: 'quit' });
    }
  });

  it('has every key and every label in the help', () => {
    const help = helpLines(100)
      .map((line) => line.map((part) => part.text).join(''))
      .join('\n');
    for (const binding of KEY_BINDINGS) {
      expect(help).toContain(binding.label);
      for (const key of binding.keys) expect(help).toContain(keyLabel(key));
    }
  });
});

describe('reading keys', () => {
  it.each([
    ['j', {}, ['j']],
    ['', { upArrow: true }, ['up']],
    ['', { return: true }, ['enter']],
    ['', { escape: true, meta: true }, ['esc']],
    ['', { delete: true }, ['backspace']],
    ['', { tab: true, shift: true }, ['shift-tab']],
    ['c', { ctrl: true }, ['ctrl-c']],
    ['\n', {}, ['newline']],
    ['', { return: true, meta: true }, ['newline']],
    ['x', { meta: true }, []],
    ['[1;5P', {}, []],
    ['[I', {}, []],
    ['ab\r\t\u007F\u0003', {}, ['a', 'b', 'enter', 'tab', 'backspace', 'ctrl-c']],
    ['e\u0301日', {}, ['e\u0301', '日']],
    ['[200~', {}, ['paste-starts']],
    ['\u0000', {}, []],
  ] as const)('%j %o is %j', (input, key, expected) => {
    expect(names(input, key)).toEqual(expected);
  });
});
