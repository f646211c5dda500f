import { EMPTY_INPUT, editText, inputText, type TextEdit, type TextInput } from './text-input.js';

export type FieldId = 'project' | 'branch' | 'summary' | 'harness';

/** The create form: typed lines, and a choice of project when there are several. */
export type CreateForm = {
  readonly projects: readonly string[];
  readonly project: string;
  readonly branch: TextInput;
  readonly summary: TextInput;
  readonly harness: TextInput;
  readonly focus: FieldId;
};

export function newForm(projects: readonly string[], project: string): CreateForm {
  return {
    projects,
    project,
    branch: EMPTY_INPUT,
    summary: EMPTY_INPUT,
    harness: EMPTY_INPUT,
    focus: 'branch',
  };
}

/** The fields in the order they are drawn and visited. */
export function fieldsOf(form: CreateForm): readonly FieldId[] {
  const typed: readonly FieldId[] = ['branch', 'summary', 'harness'];
  return form.projects.length > 1 ? ['project', ...typed] : typed;
}

export function moveField(form: CreateForm, by: number): CreateForm {
  const fields = fieldsOf(form);
  const index = (fields.indexOf(form.focus) + by + fields.length) % fields.length;
  return { ...form, focus: fields[index] ?? form.focus };
}

/** Applies an edit to the field in focus; on the project, left and right choose. */
export function editForm(form: CreateForm, edit: TextEdit): CreateForm {
  switch (form.focus) {
    case 'project':
      return { ...form, project: chooseProject(form, edit) };
    case 'branch':
      return { ...form, branch: editText(form.branch, edit) };
    case 'summary':
      return { ...form, summary: editText(form.summary, edit) };
    case 'harness':
      return { ...form, harness: editText(form.harness, edit) };
  }
}

/** Whether Enter in this field should lead on to the summary instead of creating the task. */
export function leadsToSummary(form: CreateForm): boolean {
  const isBefore = form.focus === 'project' || form.focus === 'branch';
  return isBefore && inputText(form.summary).trim() === '';
}

function chooseProject(form: CreateForm, edit: TextEdit): string {
  const step = edit.kind === 'left' ? -1 : edit.kind === 'right' || isSpace(edit) ? 1 : 0;
  const count = form.projects.length;
  const index = (form.projects.indexOf(form.project) + step + count) % count;
  return form.projects[index] ?? form.project;
}

function isSpace(edit: TextEdit): boolean {
  return edit.kind === 'insert' && edit.text === ' ';
}
