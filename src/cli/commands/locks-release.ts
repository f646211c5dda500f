import type { Command } from 'commander';
import { isLockId } from '../../domain/lock.js';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submit, submitForTask } from '../submit.js';

type ReleaseOptions = JsonOption & { readonly task?: string };

export function addLocksReleaseCommand(parent: Command, run: Run): void {
  withJson(parent.command('release'))
    .description('let go of what was reserved by hand, or of what the plan of a task holds')
    .argument('[ids...]', 'ids of reservations (see: orange locks list)')
    .option('-t, --task <task>', 'what the plan of this task holds')
    .action((ids: readonly string[], options: ReleaseOptions) =>
      run(options, (context) => releaseLocks(context, ids, options)),
    );
}

export async function releaseLocks(
  context: CommandContext,
  ids: readonly string[],
  options: ReleaseOptions,
): Promise<Ending> {
  const foreign = ids.find((id) => !isLockId(id));
  if (foreign !== undefined) return failed(notAnId(foreign));
  if (options.task === undefined && ids.length === 0) return failed(NOTHING_NAMED);
  for (const id of ids) {
    const released = await submit(context, { kind: 'lock.release', id });
    if (!released.ok) return released;
  }
  if (options.task === undefined) {
    context.output.result({ released: ids }, () => `Released ${ids.join(', ')}.`);
    return success(0);
  }
  const task = await resolveTask(context, options.task);
  if (!task.ok) return task;
  const request = { kind: 'task.unlock', taskId: task.value.fields.id } as const;
  return submitForTask(context, request, (after) => `Released what ${nameTask(after)} held.`);
}

/** A task is no reservation: saying that nothing was released would hide the mistake. */
function notAnId(value: string) {
  return {
    kind: 'invalid-argument',
    argument: 'id',
    value,
    rule: 'the id of a reservation begins with lock-',
    remedy: 'For what the plan of a task holds: orange locks release --task TASK',
  } as const;
}

const NOTHING_NAMED = {
  kind: 'invalid-argument',
  argument: 'ids',
  value: '',
  rule: 'nothing is named',
  remedy: 'Give the id of a reservation, or --task TASK (see: orange locks list)',
} as const;
