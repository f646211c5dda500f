import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import { GATES, type GateName } from '../../domain/settings.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { formatStanding, nameTask } from '../format-task.js';
import { choice, withJson, withYes, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type GateOptions = JsonOption & {
  readonly gate?: GateName;
  readonly message?: string;
  readonly yes?: boolean;
};

export function addApproveCommand(program: Command, run: Run): void {
  withYes(withGate(program.command('approve')))
    .description(
      'let a task pass the gate that waits for you: start, plan, or merge, which merges it',
    )
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-m, --message <text>', 'why, or what to mind; - reads it from standard input')
    .action((name: string | undefined, options: GateOptions) =>
      run(options, (context) => decideGate(context, name, { ...options, decision: 'approve' })),
    );
}

export function addRejectCommand(program: Command, run: Run): void {
  withGate(program.command('reject'))
    .description('hold a task at the gate that waits for you, and say why')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .requiredOption('-m, --message <text>', 'why; - reads it from standard input')
    .action((name: string | undefined, options: GateOptions) =>
      run(options, (context) => decideGate(context, name, { ...options, decision: 'reject' })),
    );
}

export async function decideGate(
  context: CommandContext,
  name: string | undefined,
  options: GateOptions & { readonly decision: 'approve' | 'reject' },
): Promise<Ending> {
  const { decision, message } = options;
  const text = message === undefined ? success('') : await readText(context, '--message', message);
  if (!text.ok) return text;
  if (decision === 'reject' && text.value.trim() === '') return failed(NO_REASON);
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { confirmMerge, describeMerged } = await import('../confirm-merge.js');
  const agreed = approvesMerge(task.value, options)
    ? await confirmMerge(context, task.value, options.yes === true)
    : success({ base: null });
  if (!agreed.ok) return agreed;
  const { value: merge } = agreed;
  if (merge === null) return success(1);
  return submitForTask(
    context,
    {
      kind: decision === 'approve' ? 'task.approve' : 'task.reject',
      taskId: task.value.fields.id,
      gate: options.gate ?? null,
      seen: task.value.fields.status,
      text: text.value,
    },
    (after) =>
      decision === 'approve' && after.fields.status === 'done'
        ? `Approved: ${describeMerged(context, after, merge)}.`
        : describeDecision(decision, after),
  );
}

/**
 * Whether saying yes may bring the work of a task into its base. Whether the gate waits is not asked:
 * the record alone does not tell, and it may begin to wait before the request arrives.
 */
function approvesMerge(
  { fields }: TaskView,
  { decision, gate = 'merge' }: GateOptions & { readonly decision: 'approve' | 'reject' },
): boolean {
  return decision === 'approve' && gate === 'merge' && fields.status === 'reviewing';
}

function describeDecision(decision: 'approve' | 'reject', after: TaskView): string {
  const verb = decision === 'approve' ? 'Approved' : 'Rejected';
  return `${verb}: ${nameTask(after)} is ${formatStanding(after)}`;
}

function withGate(command: Command): Command {
  const gates = GATES.filter((gate) => gate !== 'review');
  return withJson(command).addOption(
    choice('--gate <gate>', 'only if it is this one that waits', gates),
  );
}

const NO_REASON = {
  kind: 'invalid-argument',
  argument: '--message',
  value: '',
  rule: 'it is empty',
  remedy: 'Say why, so that the agent knows what to change.',
} as const;
