import type { Command } from 'commander';
import { InternalError } from '../../domain/failure.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { resolveOwner } from '../lock-owner.js';
import { parseMinutes, withJson, withProject, type JsonOption } from '../options.js';
import { PATHS_HELP, resolvePaths } from '../resolve-paths.js';
import { submit } from '../submit.js';
import { oneLine } from '../table.js';
import { formatOverlaps } from './locks-check.js';

type ReserveOptions = JsonOption & {
  readonly project?: string;
  readonly task?: string;
  readonly for?: string;
  readonly ttl?: number;
};

export function addLocksReserveCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('reserve')))
    .description('reserve paths by hand, for a task or for a person')
    .argument('<paths...>', PATHS_HELP)
    .option('-t, --task <task>', 'for this task, until it is over')
    .option('--for <name>', 'for somebody who works without a task, until it expires')
    .option('--ttl <minutes>', 'how long it lasts (0: for ever)', parseMinutes)
    .action((paths: readonly string[], options: ReserveOptions) =>
      run(options, (context) => reservePaths(context, paths, options)),
    );
}

export async function reservePaths(
  context: CommandContext,
  paths: readonly string[],
  options: ReserveOptions,
): Promise<Ending> {
  const name = options.for ?? null;
  const task = options.task ?? (name === null ? context.env['ORANGE_TASK_ID'] : undefined);
  if ((task === undefined) === (name === null)) return failed(ONE_OWNER);
  const owner = await resolveOwner(context, { task, project: options.project });
  if (!owner.ok) return owner;
  const meant = await resolvePaths(context, owner.value.project, paths);
  if (!meant.ok) return meant;
  const wish = { paths: meant.value, name, ttlMinutes: options.ttl ?? null };
  const outcome = await submit(context, { kind: 'lock.reserve', ...owner.value, ...wish });
  if (!outcome.ok) return outcome;
  const { lock } = outcome.value;
  if (lock === undefined) throw new InternalError('the daemon answered without the reservation');
  if (lock.overlaps.length > 0) context.output.note(formatOverlaps(lock.overlaps));
  context.output.result(
    lock,
    () => `Reserved for ${oneLine(lock.holder)}: ${oneLine(lock.paths.join(', '))} (${lock.id}).`,
  );
  return ENDED_WELL;
}

const ONE_OWNER = {
  kind: 'invalid-argument',
  argument: '--task, --for',
  value: '',
  rule: 'a reservation is for one task, or for one person',
  remedy: 'Give --task TASK or --for NAME',
} as const;
