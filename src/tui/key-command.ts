import type { TaskAction } from '../domain/task-actions.js';
import type { TextEdit } from './text-input.js';
import type { Question } from './ui-state.js';

/** Where a key counts: the list, or the kind of dialog that lies over it. */
export type Scope = 'list' | 'reader' | 'confirm' | 'form' | 'prompt';

export type Motion = 'down' | 'up' | 'page-down' | 'page-up' | 'first' | 'last';

export type Command =
  | { readonly kind: 'move'; readonly motion: Motion }
  | { readonly kind: 'ask'; readonly question: Question['kind'] }
  | { readonly kind: 'edit'; readonly edit: TextEdit }
  | { readonly kind: 'move-field'; readonly by: number }
  | { readonly kind: 'plain'; readonly name: PlainCommand };

export type PlainCommand =
  | 'open'
  | 'create'
  | 'send'
  | 'send-back'
  | 'answer'
  | 'reject'
  | 'inbox'
  | 'queue'
  | 'hold'
  | 'release'
  | 'finalize'
  | 'start-daemon'
  | 'newline'
  | 'view'
  | 'diff'
  | 'next-file'
  | 'previous-file'
  | 'peek'
  | 'problems'
  | 'locks'
  | 'filter'
  | 'search'
  | 'toggle-projects'
  | 'toggle-backlog'
  | 'dismiss'
  | 'help'
  | 'repaint'
  | 'quit'
  | 'cycle-strategy'
  | 'accept'
  | 'close';

export type KeyBinding = {
  readonly scope: Scope;
  readonly keys: readonly string[];
  readonly command: Command;
  readonly label: string;
  /** The word in the footer; without one the key stands only in the help. */
  readonly hint?: string;
  /** Offered only while the selected task allows this. */
  readonly needs?: TaskAction;
};
