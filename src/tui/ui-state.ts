import { MERGE_STRATEGIES, type MergeStrategy } from '../domain/settings.js';
import type { Status } from '../domain/status.js';
import { editForm, type CreateForm, moveField } from './create-form-state.js';
import { editText, inOneLine, inputText, type TextEdit, type TextInput } from './text-input.js';

export const FILTERS = ['all', 'active', 'inbox', 'queue', 'done'] as const;
export type Filter = (typeof FILTERS)[number];

/** What a person is asked about before it happens. */
export type Question =
  | { readonly kind: 'cancel' }
  | { readonly kind: 'respawn' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'approve'; readonly seen: Status }
  | { readonly kind: 'requeue' }
  /** A null strategy is the configured one, which the daemon knows best. */
  | {
      readonly kind: 'merge';
      readonly strategy: MergeStrategy | null;
      readonly configured: MergeStrategy;
    };

/** What lies over the task list; each dialog carries what it needs and nothing else. */
export type Dialog =
  | { readonly kind: 'confirm'; readonly taskId: string; readonly question: Question }
  | { readonly kind: 'create'; readonly form: CreateForm }
  | { readonly kind: 'search'; readonly input: TextInput; readonly before: string }
  | { readonly kind: 'send'; readonly taskId: string; readonly input: TextInput }
  | {
      readonly kind: 'send-back';
      readonly taskId: string;
      readonly label: string;
      readonly input: TextInput;
    }
  /** The answer to the questions of a task. */
  | {
      readonly kind: 'answer';
      readonly taskId: string;
      readonly label: string;
      readonly input: TextInput;
    }
  /** Why the gate of a task, as it was seen, stays closed. */
  | {
      readonly kind: 'reject';
      readonly taskId: string;
      readonly seen: Status;
      readonly label: string;
      readonly input: TextInput;
    }
  | Reader
  | { readonly kind: 'help'; readonly top: number };

/** A scrollable text; null lines while it is being fetched. */
export type Reader = {
  readonly kind: 'reader';
  readonly readerId: symbol;
  readonly title: string;
  /** A diff has its lines coloured. */
  readonly look: 'text' | 'diff';
  readonly lines: readonly string[] | null;
  readonly top: number;
};

/** A request under way. */
export type Job = {
  readonly jobId: number;
  readonly taskId: string | null;
  readonly label: string;
  readonly progress: string | null;
};

export type Message = {
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
  readonly hint: string | null;
};

export type UiState = {
  /** The project the dashboard was opened for, or null when it was opened for all. */
  readonly homeProject: string | null;
  /** The repository the dashboard was opened in, where that is no project. */
  readonly unregistered: string | null;
  readonly isEveryProject: boolean;
  readonly isBacklogOpen: boolean;
  readonly filter: Filter;
  /** The last filter without a key of its own: where inbox and queue lead back to. */
  readonly filterBefore: Filter;
  readonly search: string;
  /** The index is where the selection falls back to when the task leaves the list. */
  readonly selected: { readonly taskId: string | null; readonly index: number };
  readonly dialog: Dialog | null;
  readonly jobs: readonly Job[];
  readonly message: Message | null;
};

export type UiEvent =
  | { readonly kind: 'selected'; readonly taskId: string | null; readonly index: number }
  | { readonly kind: 'filter-cycled' }
  /** To the filter, and from it back to where one came from. */
  | { readonly kind: 'filter-toggled'; readonly filter: Filter }
  | { readonly kind: 'projects-toggled' }
  | { readonly kind: 'backlog-toggled' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'dialog-opened'; readonly dialog: Dialog }
  | { readonly kind: 'dialog-closed' }
  /** A refused form comes back as it was, unless the person has opened something else. */
  | { readonly kind: 'form-returned'; readonly form: CreateForm }
  | { readonly kind: 'search-dropped' }
  | { readonly kind: 'edited'; readonly edit: TextEdit }
  | { readonly kind: 'field-moved'; readonly by: number }
  | { readonly kind: 'strategy-cycled' }
  | { readonly kind: 'scrolled'; readonly top: number }
  | {
      readonly kind: 'text-loaded';
      readonly readerId: symbol;
      readonly lines: readonly string[];
      readonly top: number;
    }
  | { readonly kind: 'job-started'; readonly job: Job }
  | { readonly kind: 'job-progressed'; readonly jobId: number; readonly progress: string }
  | { readonly kind: 'job-ended'; readonly jobId: number; readonly message: Message }
  | { readonly kind: 'told'; readonly message: Message };

export function initialUiState(input: {
  readonly project: string | null;
  readonly showAll: boolean;
  readonly unregistered: string | null;
}): UiState {
  const filter = input.showAll ? 'all' : 'active';
  return {
    homeProject: input.project,
    unregistered: input.unregistered,
    isEveryProject: input.showAll || input.project === null,
    isBacklogOpen: false,
    filter,
    filterBefore: filter,
    search: '',
    selected: { taskId: null, index: 0 },
    dialog: null,
    jobs: [],
    message: null,
  };
}

type Reducers = {
  readonly [K in UiEvent['kind']]: (
    state: UiState,
    event: Extract<UiEvent, { readonly kind: K }>,
  ) => UiState;
};

/** The only place where the state of the dashboard changes. */
export function reduceUi(state: UiState, event: UiEvent): UiState {
  return reduceAs(event.kind, state, event);
}

function reduceAs<K extends UiEvent['kind']>(
  kind: K,
  state: UiState,
  event: Extract<UiEvent, { readonly kind: K }>,
): UiState {
  return REDUCERS[kind](state, event);
}

/** Whether a filter has a key of its own, from which one wants back. */
export function isAside(filter: Filter): boolean {
  return filter === 'inbox' || filter === 'queue';
}

const REDUCERS: Reducers = {
  selected: (state, { taskId, index }) => ({ ...state, selected: { taskId, index } }),
  'filter-cycled': (state) => withFilter(state, next(FILTERS, state.filter)),
  'filter-toggled': (state, { filter }) => ({
    ...withFilter(state, state.filter === filter ? state.filterBefore : filter),
    // Whoever is in both stays selected, else the first.
    selected: { ...state.selected, index: 0 },
  }),
  'projects-toggled': (state) =>
    state.homeProject === null ? state : { ...state, isEveryProject: !state.isEveryProject },
  'backlog-toggled': (state) => ({ ...state, isBacklogOpen: !state.isBacklogOpen }),
  dismissed: (state) => {
    if (state.message !== null) return { ...state, message: null };
    if (state.search !== '') return { ...state, search: '' };
    return isAside(state.filter) ? { ...state, filter: state.filterBefore } : state;
  },

  'dialog-opened': (state, { dialog }) => ({ ...state, dialog, message: null }),
  // What a form was refused for goes with it.
  'dialog-closed': (state) => ({
    ...state,
    dialog: null,
    message: state.dialog?.kind === 'create' ? null : state.message,
  }),
  'form-returned': (state, { form }) =>
    state.dialog === null ? { ...state, dialog: { kind: 'create', form } } : state,
  'search-dropped': (state) =>
    state.dialog?.kind === 'search'
      ? { ...state, dialog: null, search: state.dialog.before }
      : state,
  edited: (state, { edit }) => editDialog(state, edit),
  'field-moved': (state, { by }) =>
    state.dialog?.kind === 'create'
      ? { ...state, dialog: { kind: 'create', form: moveField(state.dialog.form, by) } }
      : state,
  'strategy-cycled': cycleStrategy,
  scrolled: (state, { top }) =>
    state.dialog?.kind === 'reader' || state.dialog?.kind === 'help'
      ? { ...state, dialog: { ...state.dialog, top } }
      : state,
  'text-loaded': (state, { readerId, lines, top }) =>
    state.dialog?.kind === 'reader' && state.dialog.readerId === readerId
      ? { ...state, dialog: { ...state.dialog, lines, top } }
      : state,

  'job-started': (state, { job }) => ({ ...state, jobs: [...state.jobs, job], message: null }),
  'job-progressed': (state, { jobId, progress }) => ({
    ...state,
    jobs: state.jobs.map((job) => (job.jobId === jobId ? { ...job, progress } : job)),
  }),
  'job-ended': (state, { jobId, message }) => ({
    ...state,
    jobs: state.jobs.filter((job) => job.jobId !== jobId),
    message,
  }),
  told: (state, { message }) => ({ ...state, message }),
};

function withFilter(state: UiState, filter: Filter): UiState {
  return { ...state, filter, filterBefore: isAside(filter) ? state.filterBefore : filter };
}

function editDialog(state: UiState, edit: TextEdit): UiState {
  const { dialog } = state;
  switch (dialog?.kind) {
    case 'create':
      return { ...state, dialog: { kind: 'create', form: editForm(dialog.form, edit) } };
    case 'search': {
      const input = editText(dialog.input, inOneLine(edit));
      return { ...state, dialog: { ...dialog, input }, search: inputText(input) };
    }
    case 'send':
      return { ...state, dialog: { ...dialog, input: editText(dialog.input, inOneLine(edit)) } };
    case 'send-back':
    case 'answer':
    case 'reject':
      return { ...state, dialog: { ...dialog, input: editText(dialog.input, edit) } };
    case 'confirm':
    case 'reader':
    case 'help':
    case undefined:
      return state;
  }
}

function cycleStrategy(state: UiState): UiState {
  const { dialog } = state;
  if (dialog?.kind !== 'confirm' || dialog.question.kind !== 'merge') return state;
  const { question } = dialog;
  const strategy = next(MERGE_STRATEGIES, question.strategy ?? question.configured);
  return { ...state, dialog: { ...dialog, question: { ...question, strategy } } };
}

function next<T>(values: readonly T[], value: T): T {
  const following = values[(values.indexOf(value) + 1) % values.length];
  return following === undefined ? value : following;
}
