import { type CreateForm, leadsToSummary, newForm } from './create-form-state.js';
import { type DashboardContext, openDialog, selectedTask, tell } from './dashboard-context.js';
import { oneLine } from './display-text.js';
import { taskName } from './row-view.js';
import { ACTION_WORDS, createRequest, requestFor } from './task-requests.js';
import { inputText } from './text-input.js';
import type { Question } from './ui-state.js';

/** Opens the create form for the project at hand. */
export function openForm(context: DashboardContext): void {
  const registered = context.feed.get().snapshot?.projects.map((project) => project.name) ?? [];
  const { homeProject } = context.ui.get();
  const project = homeProject ?? selectedTask(context)?.fields.project ?? registered[0];
  if (project === undefined) {
    return tell(
      context,
      'no project is registered yet',
      'run `orange project add` in a git repository',
    );
  }
  const projects = registered.includes(project) ? registered : [...registered, project];
  openDialog(context, { kind: 'create', form: newForm(projects, project) });
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
    case 'create':
      if (leadsToSummary(dialog.form)) return leadToSummary(context, dialog.form);
      return void create(context, dialog.form);
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

function leadToSummary(context: DashboardContext, form: CreateForm): void {
  openDialog(context, { kind: 'create', form: { ...form, focus: 'summary' } });
}

async function create(context: DashboardContext, form: CreateForm): Promise<void> {
  const { ui } = context;
  const request = createRequest(form);
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
  const tasks = context.feed.get().snapshot?.tasks ?? [];
  const task = tasks.find((view) => view.fields.id === taskId);
  return task === undefined ? taskId : taskName(task);
}
