import type { CreateTask, Request } from '../domain/request.js';
import type { TaskAction } from '../domain/task-actions.js';
import type { CreateForm } from './create-form-state.js';
import { inputText, type TextInput } from './text-input.js';
import type { Question } from './ui-state.js';

/** How an action is told while it is under way and once it is done. */
export type ActionWords = { readonly doing: string; readonly done: string };

export const ACTION_WORDS: Readonly<Record<TaskAction | 'create', ActionWords>> = {
  create: { doing: 'creating', done: 'created' },
  spawn: { doing: 'starting', done: 'started' },
  attach: { doing: 'attaching to', done: 'attached to' },
  respawn: { doing: 'starting again', done: 'started again' },
  send: { doing: 'sending to', done: 'sent to' },
  ask: { doing: 'asking about', done: 'asked about' },
  answer: { doing: 'answering', done: 'answered' },
  approve: { doing: 'approving', done: 'approved' },
  reject: { doing: 'rejecting', done: 'rejected' },
  review: { doing: 'reviewing', done: 'reviewed' },
  'request-changes': { doing: 'sending back', done: 'sent back' },
  hold: { doing: 'holding', done: 'held' },
  release: { doing: 'releasing', done: 'released' },
  requeue: { doing: 'requeueing', done: 'requeued' },
  cancel: { doing: 'cancelling', done: 'cancelled' },
  finalize: { doing: 'finalizing', done: 'finalized' },
  merge: { doing: 'merging', done: 'merged' },
  delete: { doing: 'deleting', done: 'deleted' },
  reopen: { doing: 'reopening', done: 'reopened' },
};

/** How a FAIL is told: to a person it sends the task back, in a review between agents it is a verdict. */
export const SEND_BACK_WORDS: Readonly<Record<'reviewing' | 'agent-review', ActionWords>> = {
  reviewing: { doing: 'sending back', done: 'sent back' },
  'agent-review': { doing: 'failing the review of', done: 'failed the review of' },
};

/** The request that a confirmed question stands for. */
export function requestFor(question: Question, taskId: string): Request {
  switch (question.kind) {
    case 'cancel':
      return { kind: 'task.cancel', taskId, reason: null };
    case 'respawn':
      return { kind: 'task.respawn', taskId };
    case 'delete':
      return { kind: 'task.delete', taskId };
    case 'reopen':
      return { kind: 'task.reopen', taskId, summary: null };
    case 'approve':
      return { kind: 'task.approve', taskId, gate: null, seen: question.seen, text: '' };
    case 'requeue':
      return { kind: 'task.requeue', taskId, hold: null };
    case 'merge':
      return { kind: 'task.merge', taskId, strategy: question.strategy, push: null, message: null };
  }
}

/** The request that a filled-in form stands for; empty lines leave the choice to the daemon. */
export function createRequest(form: CreateForm, project: string): CreateTask {
  return {
    kind: 'task.create',
    project,
    branch: typedOrNull(form.branch),
    summary: inputText(form.summary).trim(),
    harness: typedOrNull(form.harness),
    reviewHarness: typedOrNull(form.reviewer),
    context: typedOrNull(form.context),
    status: 'pending',
    extensions: {},
  };
}

function typedOrNull(input: TextInput): string | null {
  const text = inputText(input).trim();
  return text === '' ? null : text;
}
