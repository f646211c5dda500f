import { expect, it } from 'vitest';
import { columnsFor, rowView, titleLine } from '../../src/tui/row-view.js';
import type { Line } from '../../src/tui/palette.js';
import { NOW, taskView } from './task-views.js';

const text = (line: Line): string => line.map((part) => part.text).join('');
const TASK = taskView({
  fields: { pr_url: 'https://github.com/acme/shop/pull/7' },
  extensions: { pr_state: 'open', pr_checks: 'failing' },
});

function row(width: number): { readonly title: string; readonly text: string } {
  const columns = columnsFor(width, 14, { hasPullRequests: true });
  const place = { name: 'shop/dark-mode', slot: '[1]', isSelected: false, nowMs: NOW, others: [] };
  const { line } = rowView({ task: TASK, columns, ...place });
  return { title: text(titleLine(columns)), text: text(line) };
}

it('a wide list has a column for pull requests', () => {
  const { title, text: shown } = row(110);
  expect(shown).toContain('#7 open ✗');
  expect(title.indexOf('PR')).toBe(shown.indexOf('#7'));
  expect(title.indexOf('summary')).toBe(shown.indexOf('Add a dark theme'));
});

it('a narrow list tells it before the summary', () => {
  const { title, text: shown } = row(80);
  expect(title).not.toContain('PR');
  expect(shown).toContain('[#7 open ✗] Add a dark');
});
