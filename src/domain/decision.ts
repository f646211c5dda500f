import type { Effect } from './effect.js';
import type { Failure } from './failure.js';
import type { EventDraft } from './history-event.js';
import type { SectionName } from './section.js';
import type { Extensions, FrontmatterValue, TaskFields, TaskRecord } from './task.js';
import type { TaskState } from './world.js';

/** An edit of one body section; every other byte of the body stays. */
export type SectionEdit =
  | {
      readonly kind: 'set';
      readonly section: SectionName;
      readonly text: string;
      /** Where to keep what the section said, if it is to be kept. */
      readonly transcript?: string;
    }
  /** Adds a labelled item (`2. Which colour?`) behind what the section has; no label, no mark. */
  | {
      readonly kind: 'append';
      readonly section: SectionName;
      readonly label: string;
      readonly text: string;
    }
  /** Takes the section out of the body and keeps it as a transcript of that name. */
  | { readonly kind: 'move-out'; readonly section: SectionName; readonly transcript: string };

/** The facts of a TaskState that live in memory only. */
export type RuntimeEdit = Partial<Omit<TaskState, 'fields' | 'extensions'>>;

export type Change =
  | {
      readonly kind: 'create-task';
      readonly fields: TaskFields;
      readonly extensions: Extensions;
      readonly sections: readonly SectionEdit[];
      readonly events: readonly EventDraft[];
      readonly runtime: RuntimeEdit;
    }
  | {
      readonly kind: 'update-task';
      readonly taskId: string;
      readonly fields: Partial<TaskFields>;
      /** null removes the key. */
      readonly extensions: Readonly<Record<string, FrontmatterValue>>;
      readonly sections: readonly SectionEdit[];
      /** Files to leave under transcripts/ before the task's file is replaced. */
      readonly transcripts: readonly { readonly name: string; readonly text: string }[];
      /** Words that somebody wrote into a file after it was replaced, and what they began from. */
      readonly lateEdit?: { readonly base: TaskRecord; readonly late: TaskRecord };
      /** The body to write the file anew with, where it says nothing or is gone. */
      readonly anew?: string;
      readonly events: readonly EventDraft[];
      readonly runtime: RuntimeEdit;
    }
  | { readonly kind: 'delete-task'; readonly taskId: string }
  | {
      readonly kind: 'quarantine';
      readonly workspace: string;
      readonly reason: string;
      /** Whether only the machine stood in the way of cleaning it. */
      readonly isHindered: boolean;
    };

/** What the engine wants: facts to record first, then things to do. */
export type Decision = {
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  /** Set when a request is refused or an effect on its behalf failed. */
  readonly failure: Failure | null;
  /** The task a request ended up talking about. */
  readonly taskId: string | null;
};

export const NOTHING: Decision = { changes: [], effects: [], failure: null, taskId: null };
