import type { Command } from 'commander';
import { describeOverlap } from '../../domain/describe-overlap.js';
import type { OverlapView } from '../../domain/lock.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { resolveOwner } from '../lock-owner.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { PATHS_HELP, resolvePaths } from '../resolve-paths.js';
import { oneLine } from '../table.js';

type CheckOptions = JsonOption & { readonly project?: string; readonly task?: string };

export function addLocksCheckCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('check')))
    .description('who holds something of these paths, or of what a task declares')
    .argument('[paths...]', PATHS_HELP)
    .option('-t, --task <task>', 'for this task, which is not in its own way')
    .action((paths: readonly string[], options: CheckOptions) =>
      run(options, (context) => checkLocks(context, paths, options)),
    );
}

export async function checkLocks(
  context: CommandContext,
  paths: readonly string[],
  options: CheckOptions,
): Promise<Ending> {
  if (paths.length === 0 && options.task === undefined) return failed(NOTHING_NAMED);
  const { task, project } = options;
  const owner = await resolveOwner(context, { task, project });
  if (!owner.ok) return owner;
  const meant = await resolvePaths(context, owner.value.project, paths);
  if (!meant.ok) return meant;
  const client = await context.client();
  if (!client.ok) return client;
  const call = { method: 'check-locks', ...owner.value, paths: meant.value } as const;
  const found = await client.value.call(call);
  if (!found.ok) return found;
  context.output.result(found.value, () => formatOverlaps(found.value));
  return ENDED_WELL;
}

export function formatOverlaps(overlaps: readonly OverlapView[]): string {
  if (overlaps.length === 0) return paint('dim', 'Nobody holds any of it.');
  return overlaps
    .map((overlap) => {
      const { holder, id, task_id } = overlap;
      const known = task_id === null ? ` (${id})` : '';
      const what = oneLine(describeOverlap(overlap));
      return `${paint('yellow', '!')} ${oneLine(holder)}${known}: ${what}`;
    })
    .join('\n');
}

const NOTHING_NAMED = {
  kind: 'invalid-argument',
  argument: 'paths',
  value: '',
  rule: 'none are named',
  remedy: 'Name paths, or a task with --task TASK',
} as const;
