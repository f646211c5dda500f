import { once } from 'node:events';
import type { Command } from 'commander';
import type { Client } from '../../api/client.js';
import { failed } from '../../domain/result.js';
import { isTerminal, type Status } from '../../domain/status.js';
import { toTaskJson, type TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { taskName } from '../find-task.js';
import { nameTask } from '../format-task.js';
import { collectStatuses, parseSeconds, withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';

type WaitOptions = JsonOption & {
  readonly status: readonly Status[];
  readonly timeout?: number;
};

export function addTaskWaitCommand(parent: Command, run: Run): void {
  withJson(parent.command('wait'))
    .description('wait until a task has one of these statuses; exit 4 when time is up')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .requiredOption('-s, --status <list>', 'statuses, comma-separated', collectStatuses)
    .option('-t, --timeout <seconds>', 'how long at most (default: for ever)', parseSeconds)
    .action((name: string | undefined, options: WaitOptions) =>
      run(options, (context) => waitForTask(context, name, options)),
    );
}

export async function waitForTask(
  context: CommandContext,
  name: string | undefined,
  options: WaitOptions,
): Promise<Ending> {
  const deadlineMs =
    options.timeout === undefined ? null : context.nowMs() + options.timeout * 1000;
  let task = await resolveTask(context, name);
  while (task.ok) {
    const seen = task.value;
    if (options.status.includes(seen.fields.status)) return report(context, seen);
    if (isTerminal(seen.fields.status)) return failed(neverReached(seen, options.status));
    const leftMs = deadlineMs === null ? FOREVER_MS : deadlineMs - context.nowMs();
    if (leftMs <= 0) return failed(timedOut(seen, options));
    const client = await context.runningClient();
    if (!client.ok) return client;
    await (client.value === null
      ? context.delay(Math.min(leftMs, LOOK_AGAIN_MS))
      : untilStatusChanges(context, client.value, seen, leftMs));
    task = await resolveTask(context, seen.fields.id);
  }
  return task;
}

const LOOK_AGAIN_MS = 250;
const FOREVER_MS = 24 * 3_600_000;

/** Resolves when the task has another status or is gone, the daemon ends, or time is up. */
async function untilStatusChanges(
  context: CommandContext,
  client: Client,
  task: TaskView,
  limitMs: number,
): Promise<void> {
  const { id, status } = task.fields;
  const isChanged = (views: readonly TaskView[]): boolean =>
    views.some((view) => view.fields.id === id && view.fields.status !== status);
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  const timer = setTimeout(wake, limitMs);
  const now = await client.subscribe((change) => {
    if (change.removed.includes(id) || isChanged(change.tasks)) wake();
  }, wake);
  if (!now.ok) await context.delay(LOOK_AGAIN_MS);
  else if (!isChanged(now.value.tasks) && !woken.signal.aborted) await once(woken.signal, 'abort');
  clearTimeout(timer);
}

function report(context: CommandContext, task: TaskView): Ending {
  context.output.result(toTaskJson(task), () => `${nameTask(task)} is ${task.fields.status}.`);
  return ENDED_WELL;
}

function neverReached(task: TaskView, wanted: readonly Status[]) {
  return {
    kind: 'wrong-status',
    action: `wait for ${wanted.join(' or ')} of`,
    status: task.fields.status,
    allowed: [],
    task: taskName(task),
  } as const;
}

function timedOut(task: TaskView, options: WaitOptions) {
  return {
    kind: 'waited-too-long',
    what: options.status.join(' or '),
    timeoutSeconds: options.timeout ?? 0,
    task: { name: taskName(task), status: task.fields.status, wanted: options.status },
  } as const;
}
