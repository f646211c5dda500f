import type { Status } from './status.js';

/** The fourteen fields of a task, named and ordered as they stand in TASK.md. */
export type TaskFields = {
  readonly id: string;
  readonly project: string;
  readonly branch: string;
  readonly harness: string;
  readonly review_harness: string;
  readonly status: Status;
  readonly review_round: number;
  readonly crash_count: number;
  readonly summary: string;
  readonly workspace: string | null;
  readonly tmux_session: string | null;
  readonly pr_url: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};

export type FieldName = keyof TaskFields;

export const FIELD_NAMES: readonly FieldName[] = [
  'id',
  'project',
  'branch',
  'harness',
  'review_harness',
  'status',
  'review_round',
  'crash_count',
  'summary',
  'workspace',
  'tmux_session',
  'pr_url',
  'created_at',
  'updated_at',
];

/** A frontmatter value as the failsafe schema reads it: text, lists and maps, never numbers or dates. */
export type FrontmatterValue =
  | string
  | null
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

/** Every frontmatter key beyond the fourteen, in file order, known to orange or not. */
export type Extensions = Readonly<Record<string, FrontmatterValue>>;

/** A task as its file states it. */
export type TaskRecord = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  /** Everything after the closing `---` line, byte for byte. */
  readonly body: string;
};
