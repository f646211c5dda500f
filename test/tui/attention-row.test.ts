import { describe, expect, it } from 'vitest';
import { describeNeed } from '../../src/domain/describe-need.js';
import type { AttentionView } from '../../src/domain/task-view.js';
import { detailLines } from '../../src/tui/detail-view.js';
import { columnsOf } from '../../src/tui/display-text.js';
import type { Line } from '../../src/tui/palette.js';
import { columnsFor, rowView } from '../../src/tui/row-view.js';
import { LIMITS, NOW, taskView } from './task-views.js';

const text = (line: Line): string => line.map((part) => part.text).join('');

function since(minutes: number): string {
  return new Date(NOW - minutes * 60_000).toISOString();
}

function row(attention: AttentionView | null, width = 80): { text: string; colors: unknown[] } {
  const { line } = rowView({
    task: taskView({ attention }),
    name: 'shop/dark-mode',
    slot: '[1]',
    columns: columnsFor(width, 14),
    isSelected: false,
    nowMs: NOW,
    others: [],
  });
  return { text: text(line), colors: line.map(({ tone }) => tone.color) };
}

const ATTENTION = {
  quiet: { kind: 'quiet', since: since(12), reason: 'nothing new' },
  waiting: { kind: 'waiting-for-human', since: since(3), reason: 'asks for permission' },
  stalled: { kind: 'stalled', since: since(25), reason: 'no sign of life' },
} as const;

describe('the row of an agent', () => {
  it.each([
    ['at work', null, '  ● [1]  shop/dark-mode  working       5m   Add a dark theme'],
    [
      'that is quiet',
      ATTENTION.quiet,
      '  ● [1]  shop/dark-mode  working       12m  Add a dark theme',
    ],
    [
      'that waits',
      ATTENTION.waiting,
      '  ●![1]  shop/dark-mode  working       3m   Add a dark theme',
    ],
    [
      'that is stalled',
      ATTENTION.stalled,
      '  ●![1]  shop/dark-mode  working       25m  Add a dark theme',
    ],
  ])('F63 %s fits 80 columns', (_, attention, line) => {
    const shown = row(attention);
    expect(shown.text.trimEnd()).toBe(line);
    expect(columnsOf(shown.text)).toBeLessThanOrEqual(80);
  });

  it('is amber while it is quiet or waits, and red once it is stalled', () => {
    const icons = [null, ...Object.values(ATTENTION)].map((attention) => row(attention).colors[1]);
    expect(icons).toEqual(['green', 'yellow', 'yellow', 'red']);
  });

  it('never grows by its mark, however narrow the window is', () => {
    for (const width of [5, 12, 26, 40, 80, 200]) {
      expect(columnsOf(row(ATTENTION.stalled, width).text)).toBe(columnsOf(row(null, width).text));
    }
  });
});

it('the detail of a task says that its agent is quiet', () => {
  const task = taskView({ attention: ATTENTION.quiet });
  const lines = detailLines({
    task,
    others: [],
    limits: LIMITS,
    width: 80,
    height: 12,
    nowMs: NOW,
  }).map(text);
  expect(lines).toContainEqual('~ nothing new');
});

it('the detail of a task says how long its stalled agent has been silent by now', () => {
  const { fields } = taskView();
  const { reason, since: start } = ATTENTION.stalled;
  const reasons = [describeNeed({ kind: 'stalled', reason }, fields, start)];
  const task = taskView({ attention: ATTENTION.stalled, reasons });
  const about = { task, others: [], limits: LIMITS, width: 80, height: 12 };
  expect(detailLines({ ...about, nowMs: NOW }).map(text)).toContainEqual(
    '! no sign of life for 25 min',
  );
});
