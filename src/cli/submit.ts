import type { Outcome } from '../api/protocol.js';
import { InternalError, type Failure } from '../domain/failure.js';
import type { Request } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { toTaskJson, type TaskView } from '../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending } from './command-context.js';
import { nameBlockers } from './format-task.js';
import { nameInFailure } from './name-in-failure.js';

/** Sends a wish to the daemon and waits until its effects are done. */
export async function submit(context: CommandContext, request: Request): Promise<Result<Outcome>> {
  const foreign = refuseForeignTask(context, request);
  if (foreign !== null) return failed(foreign);
  const client = await context.client();
  if (!client.ok) return client;
  const outcome = await client.value.call(
    { method: 'submit', request, actor: context.actor },
    { onProgress: (note) => context.output.progress(note.text) },
  );
  if (!outcome.ok) {
    const snapshot = await context.snapshot();
    return failed(nameInFailure(outcome.failure, request, snapshot.ok ? snapshot.value.tasks : []));
  }
  for (const note of outcome.value.notes) context.output.note(note.text);
  return outcome;
}

/** An agent speaks for its own task only, and a worker does not judge its own work. */
function refuseForeignTask(context: CommandContext, request: Request): Failure | null {
  if (context.actor !== 'agent' || !('taskId' in request)) return null;
  const own = context.env['ORANGE_TASK_ID'] ?? '';
  if (own !== '' && request.taskId !== own) {
    return { kind: 'not-for-agents', action: 'change another' };
  }
  const isWorker = context.env['ORANGE_ROLE'] === 'worker';
  return isWorker && request.kind === 'task.review'
    ? { kind: 'not-for-agents', action: 'review its own' }
    : null;
}

/** Sends a wish about a task and prints the task that comes of it, with what else is to be known. */
export async function submitForTask(
  context: CommandContext,
  request: Request,
  human: (task: TaskView) => string,
  readMore: () => Readonly<Record<string, unknown>> = () => ({}),
): Promise<Ending> {
  const outcome = await submit(context, request);
  if (!outcome.ok) return outcome;
  const task = taskOf(outcome.value);
  const untold = task.reasons.find(({ code }) => code === 'undelivered');
  if (untold !== undefined) context.output.note(`${untold.message} orange tries again.`);
  const snapshot = task.reasons.length === 0 ? null : await context.snapshot();
  const named = snapshot?.ok === true ? nameBlockers(task, snapshot.value.tasks) : task;
  context.output.result({ ...toTaskJson(task), ...readMore() }, () => human(named));
  return ENDED_WELL;
}

/** Sends a wish after which there is no task to show, and prints what was done. */
export async function submitAndSay(
  context: CommandContext,
  request: Request,
  said: { readonly value: unknown; readonly text: string },
): Promise<Ending> {
  const outcome = await submit(context, request);
  if (!outcome.ok) return outcome;
  context.output.result(said.value, () => said.text);
  return success(0);
}

function taskOf(outcome: Outcome): TaskView {
  if (outcome.task === null) throw new InternalError('the daemon answered without the task');
  return outcome.task;
}
