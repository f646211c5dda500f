import { describe, expect, it } from 'vitest';
import { newForm } from '../../src/tui/create-form-state.js';
import { EMPTY_INPUT, inputText } from '../../src/tui/text-input.js';
import {
  type Dialog,
  initialUiState,
  reduceUi,
  type UiEvent,
  type UiState,
} from '../../src/tui/ui-state.js';

const start = initialUiState({ project: 'shop', showAll: false, unregistered: null });
const message = { tone: 'good', text: 'done', hint: null } as const;
const job = { jobId: 1, taskId: 't', label: 'merging', progress: null };
const readerId = Symbol('reader');
const reader: Dialog = {
  kind: 'reader',
  readerId,
  title: 'TASK.md',
  look: 'text',
  lines: null,
  top: 0,
};

const opened = (dialog: Dialog): UiEvent => ({ kind: 'dialog-opened', dialog });
const typed = (text: string): UiEvent => ({ kind: 'edited', edit: { kind: 'insert', text } });

describe('the ui-state', () => {
  it.each([
    [
      { project: null, showAll: false },
      { isEveryProject: true, filter: 'active' },
    ],
    [
      { project: 'shop', showAll: false },
      { isEveryProject: false, filter: 'active' },
    ],
    [
      { project: 'shop', showAll: true },
      { isEveryProject: true, filter: 'all' },
    ],
  ] as const)('starts from %o', (input, expected) => {
    expect(initialUiState({ ...input, unregistered: null })).toMatchObject(expected);
  });

  const cases: readonly (readonly [string, readonly UiEvent[], Partial<UiState>])[] = [
    [
      'selects a task',
      [{ kind: 'selected', taskId: 't', index: 4 }],
      { selected: { taskId: 't', index: 4 } },
    ],
    ['goes through the filters', [{ kind: 'filter-cycled' }], { filter: 'inbox' }],
    [
      'comes round to the first filter',
      Array.from({ length: 4 }, () => ({ kind: 'filter-cycled' }) as const),
      { filter: 'all' },
    ],
    ['opens to every project', [{ kind: 'projects-toggled' }], { isEveryProject: true }],
    ['opens the backlog', [{ kind: 'backlog-toggled' }], { isBacklogOpen: true }],
    [
      'puts the last message away when a dialog opens',
      [{ kind: 'told', message }, opened(reader)],
      { dialog: reader, message: null },
    ],
    ['closes a dialog', [opened(reader), { kind: 'dialog-closed' }], { dialog: null }],
    [
      'shows a job and forgets the message before it',
      [
        { kind: 'told', message },
        { kind: 'job-started', job },
      ],
      { jobs: [job], message: null },
    ],
    [
      'notes the progress of a job',
      [
        { kind: 'job-started', job },
        { kind: 'job-progressed', jobId: 1, progress: 'checks' },
      ],
      { jobs: [{ ...job, progress: 'checks' }] },
    ],
    [
      'ends a job with a message',
      [
        { kind: 'job-started', job },
        { kind: 'job-ended', jobId: 1, message },
      ],
      { jobs: [], message },
    ],
    [
      'fills the reader that asked',
      [opened(reader), { kind: 'text-loaded', readerId, lines: ['a'], top: 0 }],
      { dialog: { ...reader, lines: ['a'] } },
    ],
    [
      'ignores a text that comes too late',
      [opened(reader), { kind: 'text-loaded', readerId: Symbol('old'), lines: ['a'], top: 0 }],
      { dialog: reader },
    ],
    [
      'scrolls a reader',
      [opened(reader), { kind: 'scrolled', top: 7 }],
      { dialog: { ...reader, top: 7 } },
    ],
    [
      'filters while a search is typed',
      [opened({ kind: 'search', input: EMPTY_INPUT, before: '' }), typed('log')],
      { search: 'log' },
    ],
    [
      'takes a dropped search back',
      [
        opened({ kind: 'search', input: EMPTY_INPUT, before: 'old' }),
        typed('new'),
        { kind: 'search-dropped' },
      ],
      { search: 'old', dialog: null },
    ],
    [
      'puts away first the message',
      [{ kind: 'told', message }, { kind: 'dismissed' }],
      { message: null },
    ],
    [
      'puts away the search before it leaves the queue',
      [
        { kind: 'filter-toggled', filter: 'queue' },
        opened({ kind: 'search', input: EMPTY_INPUT, before: '' }),
        typed('x'),
        { kind: 'dialog-closed' },
        { kind: 'dismissed' },
      ],
      { filter: 'queue', search: '' },
    ],
    [
      'leads back from the queue',
      [{ kind: 'filter-toggled', filter: 'queue' }, { kind: 'dismissed' }],
      { filter: 'active' },
    ],
    ['edits nothing while nothing can be typed', [opened(reader), typed('x')], { dialog: reader }],
  ];

  it.each(cases)('%s', (_, events, expected) => {
    expect(events.reduce(reduceUi, start)).toMatchObject(expected);
  });

  it('goes through the merge strategies from the configured one on', () => {
    const confirm: Dialog = {
      kind: 'confirm',
      taskId: 't',
      question: { kind: 'merge', strategy: null, configured: 'squash' },
    };
    let state = reduceUi(start, opened(confirm));
    const seen = Array.from({ length: 5 }, () => {
      state = reduceUi(state, { kind: 'strategy-cycled' });
      return state.dialog?.kind === 'confirm' && state.dialog.question.kind === 'merge'
        ? state.dialog.question.strategy
        : '';
    });
    expect(seen).toEqual(['preserve', 'rebase', 'ff', 'squash', 'preserve']);
  });

  it('types into the field in focus and moves between fields', () => {
    const events: readonly UiEvent[] = [
      opened({ kind: 'create', form: newForm(['shop'], 'shop') }),
      typed('fix'),
      { kind: 'field-moved', by: 1 },
      typed('do it'),
      { kind: 'field-moved', by: 4 },
    ];
    const { dialog } = events.reduce(reduceUi, start);
    const form = dialog?.kind === 'create' ? dialog.form : newForm([], '');
    expect([inputText(form.branch), inputText(form.summary), form.focus]).toEqual([
      'fix',
      'do it',
      'branch',
    ]);
  });

  it('brings a refused form back, but not over another dialog', () => {
    const form = newForm(['shop'], 'shop');
    const returned: UiEvent = { kind: 'form-returned', form };
    expect(reduceUi(start, returned).dialog).toEqual({ kind: 'create', form });
    expect([opened(reader), returned].reduce(reduceUi, start).dialog).toBe(reader);
  });
});
