const KEY_NAMES: Readonly<Record<string, string>> = {
  enter: '⏎',
  newline: '^J',
  esc: 'Esc',
  tab: 'Tab',
  'shift-tab': 'S-Tab',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  backspace: '⌫',
  ' ': 'Space',
};

/** A key as a person reads it. */
export function keyLabel(key: string): string {
  return KEY_NAMES[key] ?? key.replace(/^ctrl-/u, '^');
}
