import { describe, expect, it } from 'vitest';
import { SESSION_ICONS } from '../../src/domain/session.js';
import { SESSION_TONES } from '../../src/tui/palette.js';

describe('the session icons', () => {
  it.each([
    ['ORA-76', 'active', '●', 'green'],
    ['ORA-77', 'crashed', '✗', 'red'],
    ['ORA-78', 'inactive', '○', 'gray'],
  ] as const)('%s %s is %s in %s', (_, session, icon, color) => {
    expect(SESSION_ICONS[session]).toBe(icon);
    expect(SESSION_TONES[session]).toEqual({ color });
  });
});
