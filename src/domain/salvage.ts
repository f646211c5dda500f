import { isTaskId } from './task-id.js';

/** Work that was kept before something would have lost it. */
export type SalvageEntry = {
  /** The full ref: `refs/orange/salvage/<task>/<n>`, or `refs/orange/dropped/…` once it was dropped. */
  readonly ref: string;
  readonly task_id: string;
  readonly number: number;
  readonly commit: string;
  /** The commit that was checked out; null where there was none. */
  readonly head: string | null;
  /** `work`: a whole working tree with its index; `commit`: a commit that nothing else led to. */
  readonly kind: 'work' | 'commit';
  /** ISO 8601; null where nobody knows any more. */
  readonly saved_at: string | null;
  /** ISO 8601; null unless it was dropped. */
  readonly dropped_at: string | null;
};

export type SalvageState = 'salvage' | 'dropped';

export type SalvageName = {
  readonly state: SalvageState;
  readonly taskId: string;
  readonly number: number;
};

/** Reads a full salvage ref, or its short form `<task>/<n>`; null for anything else. */
export function readSalvageRef(text: string): SalvageName | null {
  const match = /^(?:refs\/orange\/(salvage|dropped)\/)?([0-9A-Za-z]+)\/([1-9][0-9]{0,8})$/u.exec(
    text,
  );
  const [, state = 'salvage', taskId = '', number = ''] = match ?? [];
  if (match === null || !isTaskId(taskId)) return null;
  return { state: state === 'dropped' ? 'dropped' : 'salvage', taskId, number: Number(number) };
}

export function salvageRef({ state, taskId, number }: SalvageName): string {
  return `refs/orange/${state}/${taskId}/${number}`;
}

/** Where restored work is put. */
export type RestorePlace =
  /** A new worktree; on the branch where that is possible, else on no branch. */
  | { readonly kind: 'new-worktree'; readonly path: string; readonly branch: string | null }
  /** The task's own worktree, which must be clean and stand where the work began. */
  | { readonly kind: 'worktree'; readonly path: string }
  /** A new branch with one commit of everything; no files are touched. */
  | { readonly kind: 'branch'; readonly branch: string };

export type Restored = {
  readonly ref: string;
  /** The worktree; null when only a branch was made. */
  readonly path: string | null;
  readonly branch: string | null;
  readonly head: string | null;
};

/** Why work is not restored at a place; whatever is there stays untouched. */
export type RestoreRefusal =
  | 'place-taken'
  | 'half-restored'
  | 'not-clean'
  | 'other-commit'
  | 'no-worktree'
  | 'branch-exists'
  | 'in-the-way';

export type RestoreRefused = {
  readonly kind: 'restore-refused';
  readonly ref: string;
  readonly reason: RestoreRefusal;
  /** The path or branch that was wanted, or what is in the way. */
  readonly place: string;
};
