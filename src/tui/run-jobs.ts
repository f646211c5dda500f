import type { Outcome } from '../api/protocol.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Failure } from '../domain/failure.js';
import type { Request } from '../domain/request.js';
import type { TaskView } from '../domain/task-view.js';
import type { DashboardClient } from './dashboard-client.js';
import { describeFinalization } from './risk-view.js';
import type { Store } from './store.js';
import type { ActionWords } from './task-requests.js';
import type { Message, UiEvent, UiState } from './ui-state.js';

export type JobOrder = {
  readonly request: Request;
  readonly words: ActionWords;
  /** What the words are about, as a person names it. */
  readonly subject: string;
  readonly taskId: string | null;
};

/** Submits a request and shows it as under way; gives the outcome, or null after a failure was shown. */
export type RunJob = (order: JobOrder) => Promise<Outcome | null>;

export function jobRunner(client: DashboardClient, ui: Store<UiState, UiEvent>): RunJob {
  let lastId = 0;
  return async (order) => {
    const { request, words, subject, taskId } = order;
    // A key held down, or Enter twice, must not ask twice.
    if (ui.get().jobs.some((job) => job.taskId === taskId && taskId !== null)) return null;
    lastId += 1;
    const jobId = lastId;
    const label = `${words.doing} ${subject}`;
    ui.dispatch({ kind: 'job-started', job: { jobId, taskId, label, progress: null } });
    const result = await client.submit(request, (note) =>
      ui.dispatch({ kind: 'job-progressed', jobId, progress: note.text }),
    );
    const message = result.ok ? success(order, result.value) : failureMessage(result.failure);
    ui.dispatch({ kind: 'job-ended', jobId, message });
    return result.ok ? result.value : null;
  };
}

export function failureMessage(failure: Failure): Message {
  const { message, hint } = describeFailure(failure);
  return { tone: 'bad', text: message, hint };
}

function success({ request, words, subject }: JobOrder, outcome: Outcome): Message {
  const isQueued = request.kind === 'task.spawn' && outcome.task?.fields.status === 'pending';
  const facts = outcome.task === null ? [] : factsAfter(request, outcome.task);
  const hint = [...facts, ...outcome.notes.map((note) => note.text)].join(' · ');
  return {
    tone: isQueued ? 'plain' : 'good',
    text: `${isQueued ? 'queued' : words.done} ${subject}`,
    hint: hint === '' ? null : hint,
  };
}

/** What a person who asked for it wants to know of the task afterwards. */
function factsAfter({ kind }: Request, task: TaskView): readonly string[] {
  const { fields, reasons, finalized } = task;
  if (kind === 'task.respawn' && fields.status === 'stuck') {
    return ['it stays stuck until you bring it back with r'];
  }
  if (kind === 'task.spawn' || kind === 'task.create') {
    return reasons.map(({ message }) => `it waits: ${message}`);
  }
  const isTried = kind === 'task.finalize' && finalized !== undefined;
  return isTried ? [describeFinalization(finalized)] : [];
}
