import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/tui/display-text.js';
import type { Line } from '../../src/tui/palette.js';
import { initialUiState, reduceUi, type UiEvent, type UiState } from '../../src/tui/ui-state.js';
import { buildView, type DashboardView, lastTop } from '../../src/tui/view-model.js';
import { newForm } from '../../src/tui/create-form-state.js';
import { LIMITS, manyTasks, NOW, snapshotOf, taskView } from './task-views.js';

const text = (line: Line) => line.map((part) => part.text).join('');

const start = initialUiState({ project: null, showAll: false, unregistered: null });

function uiAfter(...events: readonly UiEvent[]): UiState {
  return events.reduce(reduceUi, start);
}

function viewAt(
  columns: number,
  rows: number,
  tasks = [taskView()],
  ui: UiState = start,
): DashboardView {
  const feed = { snapshot: snapshotOf(tasks), connection: { kind: 'live' } } as const;
  return buildView({ feed, ui, size: { columns, rows }, nowMs: NOW, limits: LIMITS });
}

function hints(view: DashboardView): string {
  return text(view.hints ?? []);
}

function screenOf(view: DashboardView): readonly string[] {
  const body =
    view.body.kind === 'page'
      ? view.body.lines.map(text)
      : [
          ...(view.body.titles === null ? [] : [text(view.body.titles)]),
          ...view.body.rows.map((row) => text(row.line)),
          ...view.body.lower.map(text),
        ];
  return [
    ...(view.header === null ? [] : [text(view.header)]),
    ...body,
    ...view.message.map(text),
    ...(view.hints === null ? [] : [text(view.hints)]),
  ];
}

function firstRow(view: DashboardView): string {
  return view.body.kind === 'list' ? text(view.body.rows[0]?.line ?? []).trimEnd() : '';
}

describe('a row', () => {
  it.each([
    [200, '❯ ● [1]  shop/dark-mode  working       5m   claude    Add a dark theme'],
    [80, '❯ ● [1]  shop/dark-mode  working       5m   Add a dark theme'],
    [40, '❯ ● [1]  dark-mode   working       5m'],
    [26, '❯ ● dark-m… working'],
    [12, '❯ ● dark-m…'],
    [5, '❯ ●'],
  ])('at %i columns shows what fits', (columns, row) => {
    expect(firstRow(viewAt(columns, 24))).toBe(row);
  });

  it('keeps the project where rows of several projects are mixed', () => {
    const tasks = [taskView(), taskView({ fields: { id: 'x', project: 'blog' } })];
    expect(firstRow(viewAt(40, 24, tasks))).toContain('shop/dark-…');
  });

  it('takes the workspace number from the pool, else from its name', () => {
    const odd = taskView({ fields: { workspace: 'a--b--12' } });
    expect(firstRow(viewAt(80, 24, [odd]))).toContain('[12]');
  });
});

describe('the header', () => {
  it.each([
    [80, 'orange  all projects  1 running  filter: active  pool 0/2'],
    [40, 'orange  all projects  1 running'],
    [12, 'orange'],
  ])('at %i columns gives what fits and the connection', (columns, left) => {
    const header = text(viewAt(columns, 24).header ?? []);
    expect(header.startsWith(left)).toBe(true);
    expect(header.endsWith('live')).toBe(true);
    expect(columnsOf(header)).toBe(columns);
  });
});

describe('the keys below', () => {
  it('offers only what the selected task allows', () => {
    const done = taskView({ fields: { status: 'done' }, session: 'inactive' });
    const over = uiAfter({ kind: 'filter-toggled', filter: 'done' });
    expect(hints(viewAt(200, 24))).not.toContain('merge');
    expect(hints(viewAt(200, 24, [taskView({ fields: { status: 'reviewing' } })]))).toContain(
      'm merge',
    );
    expect(hints(viewAt(200, 24, [done], over))).toContain('o reopen');
    expect(hints(viewAt(200, 24, []))).toBe('c create  f filter  / search  ? help  q quit');
  });

  it('keeps help and quit when there is little room', () => {
    expect(text(viewAt(40, 24).hints ?? [])).toMatch(/\? help {2}q quit$/u);
  });
});

const HOSTILE = [
  '\u001B[2J\u001B]0;title\u0007red',
  '\u202Egnp.exe\u202C',
  '一二三四五六七八九十'.repeat(20),
  '👩‍👩‍👧‍👦'.repeat(30),
  'e\u0301'.repeat(200),
  'line\nbreak\r\ttab\u2028sep',
  '\u0000\u0008\u007F\u009B31m',
  'x'.repeat(10_000),
  '',
  ' ',
  '$(reboot) `id` #{pid} #(touch x)',
];

describe('any screen', () => {
  const hostile = HOSTILE.map((bad, index) =>
    taskView({
      fields: {
        id: `h${index}`,
        branch: bad,
        summary: bad,
        project: bad,
        harness: bad,
        workspace: bad,
        pr_url: bad,
      },
      reasons: [{ code: 'x', message: bad }],
      problems: [{ code: 'ORA001', severity: 'error', file: bad, line: 1, message: bad, fix: bad }],
      extensions: { hold: bad, base: bad, blocked_by: [bad] },
    }),
  );
  const states: readonly UiState[] = [
    start,
    uiAfter({ kind: 'selected', taskId: 'h3', index: 3 }),
    uiAfter({ kind: 'dialog-opened', dialog: { kind: 'help', top: 3 } }),
    uiAfter(
      {
        kind: 'dialog-opened',
        dialog: { kind: 'create', form: newForm(HOSTILE, HOSTILE[2] ?? '') },
      },
      { kind: 'edited', edit: { kind: 'insert', text: HOSTILE[3] ?? '' } },
    ),
    uiAfter({
      kind: 'dialog-opened',
      dialog: {
        kind: 'confirm',
        taskId: 'h2',
        question: { kind: 'merge', strategy: null, configured: 'ff' },
      },
    }),
    uiAfter({
      kind: 'dialog-opened',
      dialog: {
        kind: 'reader',
        readerId: Symbol('r'),
        title: 'T',
        look: 'text',
        lines: ['一'.repeat(300), 'a b '.repeat(99)],
        top: 99,
      },
    }),
    uiAfter({
      kind: 'told',
      message: { tone: 'bad', text: HOSTILE[2] ?? '', hint: HOSTILE[7] ?? '' },
    }),
    uiAfter({
      kind: 'job-started',
      job: { jobId: 1, taskId: null, label: HOSTILE[0] ?? '', progress: HOSTILE[5] ?? '' },
    }),
    uiAfter({
      kind: 'dialog-opened',
      dialog: { kind: 'search', input: { characters: ['一', '二'], cursor: 1 }, before: '' },
    }),
  ];

  it('F75 never has a line or a column too many, from 1×1 up, whatever the texts are', () => {
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 220 }),
      rows: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(size, fc.constantFrom(...states), ({ columns, rows }, ui) => {
        const view = viewAt(columns, rows, hostile, ui);
        const lines = screenOf(view);
        const height =
          (view.header === null ? 0 : 1) +
          view.bodyHeight +
          view.messageHeight +
          (view.hints === null ? 0 : 1);
        expect(height).toBe(rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 100 },
    );
  });

  it('F67 draws hostile texts as text: no control or steering character is left', () => {
    for (const ui of states) {
      for (const line of screenOf(viewAt(120, 40, hostile, ui))) {
        expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069\u2028\u2029]/u);
      }
    }
  });
});

describe('a long list', () => {
  it('shows a window that holds the selected row', () => {
    const tasks = manyTasks(1000);
    for (const index of [0, 1, 500, 998, 999]) {
      const ui = uiAfter({ kind: 'selected', taskId: tasks[index]?.fields.id ?? null, index });
      const { body } = viewAt(80, 24, [...tasks], ui);
      const rows = body.kind === 'list' ? body.rows : [];
      expect(rows.filter((row) => row.isSelected).map((row) => row.key)).toEqual([
        tasks[index]?.fields.id,
      ]);
      expect(rows.length).toBeLessThan(24);
    }
  });

  it('falls back to the neighbour when the selected task leaves', () => {
    const ui = uiAfter({ kind: 'selected', taskId: 'gone', index: 2 });
    const { body } = viewAt(80, 24, [...manyTasks(5)], ui);
    expect(body.kind === 'list' && body.rows.find((row) => row.isSelected)?.key).toBe('task0002');
  });
});

describe('a list that is longer than the screen', () => {
  it('says how many more there are, above and below', () => {
    const tasks = manyTasks(100);
    expect(screenOf(viewAt(80, 24, [...tasks])).join('\n')).toMatch(/\d+ more below/u);
    const ui = uiAfter({ kind: 'selected', taskId: 'task0050', index: 50 });
    const screen = screenOf(viewAt(80, 24, [...tasks], ui)).join('\n');
    expect(screen).toMatch(/\d+ more above, \d+ more below/u);
    const shown = screen.match(/branch-0/gu)?.length ?? 0;
    const more = [...screen.matchAll(/(\d+) more (?:above|below)/gu)].map((found) =>
      Number(found[1]),
    );
    // The detail pane names the selected one again.
    expect(more.reduce((sum, count) => sum + count, shown - 1)).toBe(100);
    expect(screenOf(viewAt(80, 24, [...manyTasks(5)])).join('\n')).not.toContain(' more ');
  });
});

describe('reading', () => {
  it('cannot be scrolled past its last page', () => {
    const dialog = {
      kind: 'reader',
      readerId: Symbol('r'),
      title: '',
      look: 'text',
      lines: Array.from({ length: 30 }, String),
      top: 0,
    } as const;
    expect(lastTop(dialog, 80, 10)).toBe(20);
    expect(lastTop(dialog, 80, 50)).toBe(0);
  });
});

describe('an empty list', () => {
  it('names the filter that hides everything', () => {
    const done = taskView({ fields: { status: 'done' }, session: 'inactive' });
    expect(screenOf(viewAt(80, 24, [done])).join('\n')).toContain(
      'No task is under the filter “active”',
    );
  });

  it('greets whoever has no project yet', () => {
    const feed = { snapshot: snapshotOf([], []), connection: { kind: 'live' } } as const;
    const view = buildView({
      feed,
      ui: start,
      size: { columns: 80, rows: 24 },
      nowMs: NOW,
      limits: LIMITS,
    });
    expect(screenOf(view).join('\n')).toContain('orange project add');
  });
});
