import type { Request } from '../domain/request.js';
import type { TaskView } from '../domain/task-view.js';
import { sendBackAction } from './bars-view.js';
import { type CreateForm, missingField, newForm } from './create-form-state.js';
import { type DashboardContext, openDialog, selectedTask, tell } from './dashboard-context.js';
import { oneLine } from './display-text.js';
import { taskName } from './task-name.js';
import { ACTION_WORDS, createRequest, requestFor, SEND_BACK_WORDS } from './task-requests.js';
import { inputText } from './text-input.js';
import type { Dialog, Question } from './ui-state.js';

/** Opens the create form for the project at hand. */
export function openForm(context: DashboardContext): void {
  const projects = context.feed.get().snapshot?.projects ?? [];
  const names = projects.map((project) => project.name);
  if (names.length === 0) {
    return tell(
      context,
      'no project is registered yet',
      'run `orange project add` in a git repository',
    );
  }
  const { homeProject, unregistered } = context.ui.get();
  const here = projects.find((project) => project.path === unregistered)?.name ?? homeProject;
  if (here === null && unregistered !== null) {
    return openDialog(context, { kind: 'create', form: newForm(names, null, unregistered) });
  }
  const project = here ?? selectedTask(context)?.fields.project ?? names[0] ?? null;
  openDialog(context, { kind: 'create', form: newForm(names, project) });
}

/** Enter or `y` in a dialog: sends off what it holds. */
export function acceptDialog(context: DashboardContext): void {
  const { dialog } = context.ui.get();
  switch (dialog?.kind) {
    case 'search':
      return context.ui.dispatch({ kind: 'dialog-closed' });
    case 'confirm':
      return confirm(context, dialog.taskId, dialog.question);
    case 'send':
      return send(context, dialog.taskId, inputText(dialog.input));
    case 'send-back':
      return sendBack(context, dialog.taskId, inputText(dialog.input).trim());
    case 'answer':
    case 'reject':
      return submitText(context, dialog, inputText(dialog.input).trim());
    case 'create':
      return submitForm(context, dialog.form);
    case 'reader':
    case 'help':
    case undefined:
      return;
  }
}

function confirm(context: DashboardContext, taskId: string, question: Question): void {
  context.ui.dispatch({ kind: 'dialog-closed' });
  void context.runJob({
    request: requestFor(question, taskId),
    words: ACTION_WORDS[question.kind],
    subject: subjectOf(context, taskId),
    taskId,
  });
}

function send(context: DashboardContext, taskId: string, text: string): void {
  context.ui.dispatch({ kind: 'dialog-closed' });
  if (text.trim() === '') return;
  void context.runJob({
    request: { kind: 'task.send', taskId, text },
    words: ACTION_WORDS.send,
    subject: subjectOf(context, taskId),
    taskId,
  });
}

function sendBack(context: DashboardContext, taskId: string, text: string): void {
  // Without a text the agent would not know what to do: the question stays.
  if (text === '') return;
  const task = findTask(context, taskId);
  const phase = task?.fields.status === 'agent-review' ? 'agent-review' : 'reviewing';
  const isJudged = task === undefined || sendBackAction(task) !== 'request-changes';
  context.ui.dispatch({ kind: 'dialog-closed' });
  void context.runJob({
    request: isJudged
      ? { kind: 'task.review', taskId, verdict: 'FAIL', text }
      : { kind: 'task.request-changes', taskId, text },
    words: SEND_BACK_WORDS[phase],
    subject: subjectOf(context, taskId),
    taskId,
  });
}

function submitText(
  context: DashboardContext,
  dialog: Extract<Dialog, { readonly kind: 'answer' | 'reject' }>,
  text: string,
): void {
  // Nothing was said: the question stays.
  if (text === '') return;
  context.ui.dispatch({ kind: 'dialog-closed' });
  const { kind, taskId } = dialog;
  const request: Request =
    dialog.kind === 'answer'
      ? { kind: 'task.answer', taskId, question: null, text }
      : { kind: 'task.reject', taskId, gate: null, seen: dialog.seen, text };
  const subject = subjectOf(context, taskId);
  void context.runJob({ request, words: ACTION_WORDS[kind], subject, taskId });
}

function submitForm(context: DashboardContext, form: CreateForm): void {
  const missing = missingField(form);
  // A project that was just chosen: on to the next field, nothing is wrong yet.
  if (missing?.field === 'summary' && form.focus === 'project') {
    return openDialog(context, { kind: 'create', form: { ...form, focus: 'branch' } });
  }
  if (missing !== null) {
    openDialog(context, { kind: 'create', form: { ...form, focus: missing.field } });
    return tell(context, missing.text);
  }
  if (form.project !== null) void create(context, form, form.project);
}

async function create(context: DashboardContext, form: CreateForm, project: string): Promise<void> {
  const { ui } = context;
  const request = createRequest(form, project);
  ui.dispatch({ kind: 'dialog-closed' });
  const subject = oneLine(`${request.project}/${request.branch ?? request.summary}`);
  const outcome = await context.runJob({
    request,
    words: ACTION_WORDS.create,
    subject,
    taskId: null,
  });
  if (outcome === null) return ui.dispatch({ kind: 'form-returned', form });
  const made = outcome.task?.fields.id;
  if (made !== undefined) {
    ui.dispatch({ kind: 'selected', taskId: made, index: ui.get().selected.index });
  }
}

function subjectOf(context: DashboardContext, taskId: string): string {
  const task = findTask(context, taskId);
  return task === undefined ? taskId : taskName(task);
}

function findTask({ feed }: DashboardContext, taskId: string): TaskView | undefined {
  return feed.get().snapshot?.tasks.find((view) => view.fields.id === taskId);
}
