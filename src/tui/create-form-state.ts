import {
  EMPTY_INPUT,
  editText,
  inOneLine,
  inputText,
  type TextEdit,
  type TextInput,
} from './text-input.js';

export type FieldId = 'project' | 'branch' | 'summary' | 'harness' | 'reviewer' | 'context';

/** The create form: typed texts, and a choice of project where it is not plain. */
export type CreateForm = {
  readonly projects: readonly string[];
  /** null until the person has chosen one. */
  readonly project: string | null;
  /** The repository that the person stands in, if orange does not know it. */
  readonly unregistered: string | null;
  readonly branch: TextInput;
  readonly summary: TextInput;
  readonly harness: TextInput;
  readonly reviewer: TextInput;
  readonly context: TextInput;
  readonly focus: FieldId;
};

export function newForm(
  projects: readonly string[],
  project: string | null,
  unregistered: string | null = null,
): CreateForm {
  return {
    projects,
    project,
    unregistered,
    branch: EMPTY_INPUT,
    summary: EMPTY_INPUT,
    harness: EMPTY_INPUT,
    reviewer: EMPTY_INPUT,
    context: EMPTY_INPUT,
    focus: project === null ? 'project' : 'branch',
  };
}

/** The fields in the order they are drawn and visited. */
export function fieldsOf(form: CreateForm): readonly FieldId[] {
  const typed: readonly FieldId[] = ['branch', 'summary', 'harness', 'reviewer', 'context'];
  const isChoice = form.projects.length > 1 || form.unregistered !== null;
  return isChoice ? ['project', ...typed] : typed;
}

export function moveField(form: CreateForm, by: number): CreateForm {
  const fields = fieldsOf(form);
  const index = (fields.indexOf(form.focus) + by + fields.length) % fields.length;
  return { ...form, focus: fields[index] ?? form.focus };
}

/** Applies an edit to the field in focus; on the project, left and right choose. */
export function editForm(form: CreateForm, edit: TextEdit): CreateForm {
  const { focus } = form;
  if (focus === 'project') return { ...form, project: chooseProject(form, edit) };
  // Only the context has several lines.
  const fitting = focus === 'context' ? edit : inOneLine(edit);
  return { ...form, [focus]: editText(form[focus], fitting) };
}

/** The field that keeps the form from being sent off, and what is missing there. */
export function missingField(
  form: CreateForm,
): { readonly field: FieldId; readonly text: string } | null {
  if (form.project === null) {
    return { field: 'project', text: 'Choose the project first: ← and →.' };
  }
  if (inputText(form.summary).trim() === '') {
    return { field: 'summary', text: 'Say in the summary what is to be done; then Enter creates.' };
  }
  return null;
}

function chooseProject(form: CreateForm, edit: TextEdit): string | null {
  const step = edit.kind === 'left' ? -1 : edit.kind === 'right' || isSpace(edit) ? 1 : 0;
  if (step === 0) return form.project;
  const at = form.project === null ? -1 : form.projects.indexOf(form.project);
  const from = at === -1 && step === -1 ? 0 : at;
  return form.projects.at((from + step) % form.projects.length) ?? form.project;
}

function isSpace(edit: TextEdit): boolean {
  return edit.kind === 'insert' && edit.text === ' ';
}
