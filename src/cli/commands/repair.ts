import type { Command } from 'commander';
import { DERIVED_CLASSES } from '../../domain/finding.js';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { formatReport } from '../format-doctor.js';
import { withJson, type JsonOption } from '../options.js';

type RepairOptions = JsonOption & { readonly tail?: boolean };

export function addRepairCommand(program: Command, run: Run): void {
  withJson(program.command('repair'))
    .description('bring derived files back to what TASK.md and the histories say')
    .option('--tail', 'only cut unfinished last lines off histories')
    .action((options: RepairOptions) => run(options, (context) => repair(context, options)));
}

/** Safe at any time: a second run finds nothing to do. */
export async function repair(context: CommandContext, options: RepairOptions): Promise<Ending> {
  if (context.actor === 'agent') return failed({ kind: 'not-for-agents', action: 'repair' });
  const classes = options.tail === true ? (['history-tail'] as const) : DERIVED_CLASSES;
  const report = await context.doctor.mend({ classes, reach: 'safe' });
  if (!report.ok) return report;
  context.output.result(report.value, () => formatReport(report.value, context.output.columns));
  return success(report.value.failed.length > 0 ? 1 : 0);
}
