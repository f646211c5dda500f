import { describe, expect, it } from 'vitest';
import { formatTaskList } from '../../src/cli/format-task.js';
import { renderText } from '../../src/cli/paint.js';
import { SESSION_ICONS } from '../../src/domain/session.js';
import { STATUSES } from '../../src/domain/status.js';
import { SESSION_TONES, STATUS_TONES } from '../../src/tui/palette.js';
import { NOW, taskView } from './task-views.js';

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

describe('the colour of a status', () => {
  const codes: Readonly<Record<string, string>> = { green: '32', red: '31', yellow: '33' };

  it.each(STATUSES)('%s is the same as in orange ls', (status) => {
    const list = formatTaskList([taskView({ fields: { status } })], { columns: 200, nowMs: NOW });
    const { color } = STATUS_TONES[status];
    const code = color === undefined ? '2' : codes[color];
    expect(renderText(list, 'colors')).toContain(`\u001B[${code}m${status}`);
  });
});
