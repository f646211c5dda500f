import { holdOf } from '../domain/extensions.js';
import type { Request } from '../domain/request.js';
import type { TaskAction } from '../domain/task-actions.js';
import type { TaskView } from '../domain/task-view.js';
import { openingAction, sendBackAction } from './bars-view.js';
import { type DashboardContext, onSelectedTask, openDialog, tell } from './dashboard-context.js';
import { taskName } from './task-name.js';
import { startDaemon } from './start-daemon.js';
import { ACTION_WORDS } from './task-requests.js';
import { EMPTY_INPUT } from './text-input.js';
import type { Question } from './ui-state.js';

/** Goes to the task's agent: attaches if it can, else starts it, else starts it again. */
export function openTask(context: DashboardContext): void {
  if (context.feed.get().connection.kind === 'lost') startDaemon(context);
  else openSelected(context);
}

const openSelected = onSelectedTask((context, task) => {
  const action = openingAction(task);
  if (action === null) {
    return tell(context, `${taskName(task)} is ${task.fields.status}: it has no agent to go to`);
  }
  if (action === 'attach') return attachTo(context, task);
  const taskId = task.fields.id;
  const request: Request =
    action === 'spawn'
      ? { kind: 'task.spawn', taskId, force: false }
      : { kind: 'task.respawn', taskId };
  submit(context, task, action, request);
});

/** Opens the question that stands before an action that cannot be taken back. */
export function askFirst(context: DashboardContext, kind: Question['kind']): void {
  onSelectedTask((_, task) => {
    if (!task.actions.includes(kind)) {
      const refusal = `it cannot be ${ACTION_WORDS[kind].done} now`;
      return tell(context, `${taskName(task)} is ${task.fields.status}: ${refusal}`);
    }
    const question = questionAbout(context, task, kind);
    openDialog(context, { kind: 'confirm', taskId: task.fields.id, question });
  })(context);
}

function questionAbout(
  context: DashboardContext,
  { fields }: TaskView,
  kind: Question['kind'],
): Question {
  if (kind === 'approve') return { kind, seen: fields.status };
  if (kind !== 'merge') return { kind };
  return { kind, strategy: null, configured: context.strategyFor(fields.project) };
}

export const openSend = onSelectedTask((context, task) => {
  if (!task.actions.includes('send')) {
    return tell(context, `${taskName(task)} has no running agent to send to`);
  }
  openDialog(context, { kind: 'send', taskId: task.fields.id, input: EMPTY_INPUT });
});

/** Asks for the text with which a task goes back to its worker. */
export const openSendBack = onSelectedTask((context, task) => {
  if (sendBackAction(task) === null) {
    return tell(
      context,
      `${taskName(task)} is ${task.fields.status}: there is nothing to send back`,
    );
  }
  const label = task.fields.status === 'agent-review' ? 'review: fail: ' : 'send back: ';
  openDialog(context, { kind: 'send-back', taskId: task.fields.id, label, input: EMPTY_INPUT });
});

/** Asks for the answer, with the questions in sight. */
export const openAnswer = onSelectedTask((context, task) => {
  if (!task.actions.includes('answer')) {
    return tell(context, `${taskName(task)} is ${task.fields.status}: it asks nothing`);
  }
  const dialog = { kind: 'answer', taskId: task.fields.id, label: 'answer: ' } as const;
  openDialog(context, { ...dialog, input: EMPTY_INPUT });
});

export const openReject = onSelectedTask((context, task) => {
  if (!task.actions.includes('reject')) {
    return tell(context, `${taskName(task)} is ${task.fields.status}: no gate of it waits`);
  }
  const { id: taskId, status: seen } = task.fields;
  const dialog = { kind: 'reject', taskId, seen, label: 'reject: ' } as const;
  openDialog(context, { ...dialog, input: EMPTY_INPUT });
});

/** Keeps a pending task from starting; what it was held for before is never overwritten. */
export const holdTask = onSelectedTask((context, task) => {
  const name = taskName(task);
  if (!task.actions.includes('hold')) {
    return tell(context, `${name} is ${task.fields.status}: only a pending task can be held`);
  }
  const hold = holdOf(task.extensions);
  if (hold !== null) return tell(context, `${name} is held already: ${hold}`, 'H releases it');
  submit(context, task, 'hold', { kind: 'task.hold', taskId: task.fields.id, reason: 'by hand' });
});

export const releaseTask = onSelectedTask((context, task) => {
  if (holdOf(task.extensions) === null || !task.actions.includes('release')) {
    return tell(context, `${taskName(task)} is not held`);
  }
  submit(context, task, 'release', { kind: 'task.release', taskId: task.fields.id });
});

/** Tries the merge; nothing is merged. */
export const finalizeTask = onSelectedTask((context, task) => {
  if (!task.actions.includes('finalize')) {
    const when = 'only what is reviewing can be finalized';
    return tell(context, `${taskName(task)} is ${task.fields.status}: ${when}`);
  }
  submit(context, task, 'finalize', { kind: 'task.finalize', taskId: task.fields.id });
});

function submit(
  context: DashboardContext,
  task: TaskView,
  action: TaskAction,
  request: Request,
): void {
  const { id: taskId } = task.fields;
  void context.runJob({ request, words: ACTION_WORDS[action], subject: taskName(task), taskId });
}

function attachTo(context: DashboardContext, task: TaskView): void {
  const session = task.fields.tmux_session;
  if (session === null) tell(context, `${taskName(task)} has no session to attach to`);
  else context.attach(session);
}
