import { baseOf } from '../domain/extensions.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';
import { type CreateForm, type FieldId, fieldsOf } from './create-form-state.js';
import { clip, oneLine, wrap, wrapAtMost } from './display-text.js';
import { KEY_BINDINGS } from './key-bindings.js';
import type { Scope } from './key-command.js';
import { keyLabel } from './key-label.js';
import { CURSOR, KEY, type Line, QUIET, type Span, STRONG, span, WARNING } from './palette.js';
import { questionText } from './question-text.js';
import { riskLines } from './risk-view.js';
import { taskName } from './task-name.js';
import { inputLine, inputWindow, type TextInput } from './text-input.js';
import type { Question } from './ui-state.js';

/** The question in words and what its answer leads to; the keys stand in the last line of the screen. */
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
    ...(question.kind === 'merge'
      ? [...riskLines(task, width), strategyLine(question.strategy ?? question.configured, width)]
      : []),
  ];
}

export function formLines(form: CreateForm, width: number): readonly Line[] {
  const fields = fieldsOf(form).map((field) => fieldLine(form, field, width));
  return [
    [span(clip(formTitle(form), width), STRONG)],
    ...unregisteredLines(form, width),
    [],
    ...fields,
    [],
    ...wrap(FIELD_HELP[form.focus], width).map((line): Line => [span(line, QUIET)]),
  ];
}

/** A label and a line being typed. */
export function promptLine(label: string, input: TextInput, width: number): Line {
  return [span(label, KEY), ...inputSpans(input, width - label.length)];
}

const SCOPE_TITLES: readonly (readonly [Scope, string])[] = [
  ['list', 'Tasks'],
  ['reader', 'Reading'],
  ['confirm', 'Questions'],
  ['form', 'New task'],
  ['prompt', 'Search and messages'],
];

const HELP_KEYS = 14;

/** The help, generated from the key table. */
export function helpLines(width: number): readonly Line[] {
  return SCOPE_TITLES.flatMap(([scope, title]) => [
    [span(clip(title, width), STRONG)],
    ...KEY_BINDINGS.filter((binding) => binding.scope === scope).flatMap(({ keys, label }) => {
      const names = `  ${keys.map(keyLabel).join(' ')}`;
      // On a very narrow screen the words go below the keys.
      if (width < 2 * HELP_KEYS) {
        const below = wrap(label, Math.max(1, width - 4));
        return [[span(names, KEY)], ...below.map((line) => [span(`    ${line}`)])];
      }
      return wrap(label, width - HELP_KEYS).map((line, index) => [
        span((index === 0 ? names : '').padEnd(HELP_KEYS), KEY),
        span(line),
      ]);
    }),
    [],
  ]);
}

const APPROVALS: Readonly<Record<string, string>> = {
  pending: 'It starts now, or as soon as a workspace is free.',
  planning: 'Its plan is good: the agent begins to work.',
  reviewing: 'It is merged; the task is done afterwards and its workspace freed.',
};

/** The open questions of a task, above the line in which the answer is typed. */
export function askedLines(task: TaskView, width: number): readonly Line[] {
  const name = `${taskName(task)} asks`;
  return [
    [span(clip(name, width), STRONG)],
    ...task.questions.flatMap((question) =>
      wrap(oneLine(questionText(question)), width).map((line) => [span(line, WARNING)]),
    ),
    ...(task.questions.length === 0 ? [[span(clip(UNWRITTEN, width), QUIET)]] : []),
  ];
}

const UNWRITTEN = 'no question is written in TASK.md; p shows its screen';

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
          'Its agent is ended and its workspace freed. Its branch stays, uncommitted work is kept under refs/orange/salvage.',
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
    case 'approve':
      return {
        title: `Approve ${name}?`,
        consequence: APPROVALS[question.seen] ?? 'It passes the gate that waits for you.',
      };
    case 'requeue':
      return {
        title: `Put ${name} back into the queue?`,
        consequence:
          'Its agent is ended and its workspace freed; what is not committed is saved. It starts again when its turn comes.',
      };
    case 'merge':
      return {
        title: `Merge ${name} into ${base}?`,
        consequence: 'The task is done afterwards and its workspace freed.',
      };
  }
}

function strategyLine(strategy: string, width: number): Line {
  return [
    span(clip(`strategy: ${strategy}`, width)),
    span(width >= 50 ? '   Tab' : '', KEY),
    span(width >= 50 ? ' another' : '', QUIET),
  ];
}

function baseName(task: TaskView, snapshot: Snapshot): string {
  const project = snapshot.projects.find((view) => view.name === task.fields.project);
  return oneLine(baseOf(task.extensions) ?? project?.default_branch ?? 'the default branch');
}

const LABEL_WIDTH = 12;

const FIELD_HELP: Readonly<Record<FieldId, string>> = {
  project: '← and → choose the project',
  branch: 'the git branch to work on; empty: orange-tasks/<id>',
  summary: 'one line that says what is to be done; needed',
  harness: 'the agent that works, such as claude or codex; empty: the first one installed',
  reviewer: 'the agent that reviews the work; empty: claude',
  context: 'what the agent has to know; Ctrl-J or Alt-Enter starts a new line; may stay empty',
};

const FIELD_NAMES: Readonly<Record<FieldId, string>> = {
  project: 'project',
  branch: 'branch',
  summary: 'summary',
  harness: 'harness',
  reviewer: 'review by',
  context: 'context',
};

function formTitle({ project }: CreateForm): string {
  return project === null ? 'New task: in which project?' : `New task in ${oneLine(project)}`;
}

function unregisteredLines({ unregistered }: CreateForm, width: number): readonly Line[] {
  if (unregistered === null) return [];
  const text = `${oneLine(unregistered)} is not registered: for tasks in it, run \`orange project add\` there first.`;
  return wrapAtMost(text, width, 3).map((line) => [span(line, WARNING)]);
}

function fieldLine(form: CreateForm, field: FieldId, width: number): Line {
  const hasFocus = form.focus === field;
  const label = span(
    `${hasFocus ? '❯ ' : '  '}${FIELD_NAMES[field].padEnd(LABEL_WIDTH - 2)}`,
    hasFocus ? KEY : QUIET,
  );
  const room = width - LABEL_WIDTH - 1;
  if (field === 'project')
    return [
      label,
      span(
        clip(`‹ ${oneLine(form.project ?? 'choose with ← and →')} ›`, room),
        hasFocus ? STRONG : {},
      ),
    ];
  if (hasFocus) return [label, ...inputSpans(form[field], room)];
  return [label, span(clip(inputLine(form[field]), room))];
}

function inputSpans(input: TextInput, width: number): readonly Span[] {
  const { before, at, after } = inputWindow(input, Math.max(1, width));
  return [span(before), span(at, CURSOR), span(after)];
}
