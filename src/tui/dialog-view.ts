import { baseOf } from '../domain/extensions.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';
import { type CreateForm, type FieldId, fieldsOf } from './create-form-state.js';
import { clip, oneLine, wrap, wrapAtMost } from './display-text.js';
import { KEY_BINDINGS, keyLabel, type Scope } from './key-bindings.js';
import { CURSOR, KEY, type Line, QUIET, type Span, STRONG, span, WARNING } from './palette.js';
import { taskName } from './row-view.js';
import { inputWindow, type TextInput } from './text-input.js';
import type { Question, Reader } from './ui-state.js';

/** The question in words, what its answer leads to, and the keys that answer it. */
export function confirmLines(
  question: Question,
  task: TaskView,
  snapshot: Snapshot,
  width: number,
): readonly Line[] {
  const name = taskName(task);
  const { title, consequence } = questionTexts(question, name, baseName(task, snapshot));
  return [
    ...wrapAtMost(title, width, 2).map((line) => [span(line, { ...STRONG, ...WARNING })]),
    ...wrapAtMost(consequence, width, 3).map((line) => [span(line)]),
    ...(question.kind === 'merge' ? [strategyLine(question.strategy, width)] : []),
    [span('y', KEY), span(' yes   '), span('n', KEY), span(' no')],
  ];
}

export function formLines(form: CreateForm, width: number): readonly Line[] {
  const fields = fieldsOf(form).map((field) => fieldLine(form, field, width));
  return [
    [span(clip(`New task in ${oneLine(form.project)}`, width), STRONG)],
    [],
    ...fields,
    [],
    [span(clip(FIELD_HELP[form.focus], width), QUIET)],
  ];
}

/** A label and a line being typed. */
export function promptLine(label: string, input: TextInput, width: number): Line {
  return [span(label, KEY), ...inputSpans(input, width - label.length)];
}

export function readerTitle(reader: Reader, width: number): Line {
  return [span(clip(reader.title, width), STRONG)];
}

/** The reader's text broken to the width; kept, because scrolling asks for it at every key. */
export function readerLines(lines: readonly string[], width: number): readonly string[] {
  const known = WRAPPED.get(lines);
  if (known?.width === width) return known.wrapped;
  const wrapped = lines.flatMap((line) => wrap(line, width));
  WRAPPED.set(lines, { width, wrapped });
  return wrapped;
}

const WRAPPED = new WeakMap<
  readonly string[],
  { readonly width: number; readonly wrapped: readonly string[] }
>();

const SCOPE_TITLES: readonly (readonly [Scope, string])[] = [
  ['list', 'Tasks'],
  ['reader', 'Reading'],
  ['confirm', 'Questions'],
  ['form', 'New task'],
  ['prompt', 'Search and messages'],
];

/** The help, generated from the key table. */
export function helpLines(width: number): readonly Line[] {
  return SCOPE_TITLES.flatMap(([scope, title]) => [
    [span(clip(title, width), STRONG)],
    ...KEY_BINDINGS.filter((binding) => binding.scope === scope).map((binding) => {
      const keys = binding.keys.map(keyLabel).join(' ').padEnd(12);
      return [
        span(clip(`  ${keys}`, width), KEY),
        span(clip(` ${binding.label}`, Math.max(0, width - 14))),
      ];
    }),
    [],
  ]);
}

function questionTexts(
  question: Question,
  name: string,
  base: string,
): { readonly title: string; readonly consequence: string } {
  switch (question.kind) {
    case 'cancel':
      return {
        title: `Cancel ${name}?`,
        consequence:
          'Its agent is ended and its workspace freed. Work that is not merged is kept in a salvage ref.',
      };
    case 'respawn':
      return {
        title: `Start the agent of ${name} again?`,
        consequence: 'An agent that still runs is ended first.',
      };
    case 'delete':
      return {
        title: `Delete ${name}?`,
        consequence: 'TASK.md and its history are removed. This cannot be undone.',
      };
    case 'reopen':
      return {
        title: `Reopen ${name}?`,
        consequence: 'A new task that refers to this one is made; this one stays as it is.',
      };
    case 'merge':
      return {
        title: `Merge ${name} into ${base}?`,
        consequence: 'The task is done afterwards and its workspace freed.',
      };
  }
}

function strategyLine(strategy: string | null, width: number): Line {
  return [
    span(clip(`strategy: ${strategy ?? 'as configured'}`, width)),
    span(width >= 50 ? '   Tab' : '', KEY),
    span(width >= 50 ? ' another' : '', QUIET),
  ];
}

function baseName(task: TaskView, snapshot: Snapshot): string {
  const project = snapshot.projects.find((view) => view.name === task.fields.project);
  return oneLine(baseOf(task.extensions) ?? project?.default_branch ?? 'the default branch');
}

const LABEL_WIDTH = 10;

const FIELD_HELP: Readonly<Record<FieldId, string>> = {
  project: '← and → choose the project',
  branch: 'empty: orange-tasks/<id>',
  summary: 'one line that says what is to be done',
  harness: 'the agent to use, such as claude or codex; empty: the first one installed',
};

function fieldLine(form: CreateForm, field: FieldId, width: number): Line {
  const hasFocus = form.focus === field;
  const label = span(
    `${hasFocus ? '❯ ' : '  '}${field.padEnd(LABEL_WIDTH - 2)}`,
    hasFocus ? KEY : QUIET,
  );
  const room = width - LABEL_WIDTH - 1;
  if (field === 'project')
    return [label, span(clip(`‹ ${oneLine(form.project)} ›`, room), hasFocus ? STRONG : {})];
  if (hasFocus) return [label, ...inputSpans(form[field], room)];
  return [label, span(clip(form[field].characters.join(''), room))];
}

function inputSpans(input: TextInput, width: number): readonly Span[] {
  const { before, at, after } = inputWindow(input, Math.max(1, width));
  return [span(before), span(at, CURSOR), span(after)];
}
