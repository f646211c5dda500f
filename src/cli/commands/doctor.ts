import type { Command } from 'commander';
import { FINDING_CLASSES, type Finding, type FindingClass } from '../../domain/finding.js';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { fromFinding, type DoctorFinding } from '../doctor-finding.js';
import { formatFinding, formatReport } from '../format-doctor.js';
import { choice, withJson, withYes, type JsonOption } from '../options.js';

type Wanted = FindingClass | 'all';
type DoctorOptions = JsonOption & { readonly fix?: Wanted; readonly yes?: boolean };

export function addDoctorCommand(program: Command, run: Run): void {
  const classes = [...FINDING_CLASSES, 'all'];
  withYes(withJson(program.command('doctor')))
    .description('look for what is wrong, and say what to do; changes nothing without --fix')
    .addOption(choice('--fix <class>', 'mend what is out of place, of one class', classes))
    .action((options: DoctorOptions) =>
      run(options, (context) =>
        options.fix === undefined
          ? diagnose(context)
          : mend(context, { wanted: options.fix, isConfirmed: options.yes === true }),
      ),
    );
}

export async function diagnose(context: CommandContext): Promise<Ending> {
  const [{ checkMachine }, { checkRecord }] = await Promise.all([
    import('../doctor-machine.js'),
    import('../doctor-record.js'),
  ]);
  const findings = withoutPraise([
    ...(await checkMachine(context)),
    ...(await checkRecord(context)),
  ]);
  context.output.result(findings, () =>
    findings.map((finding) => formatFinding(finding, context.output.columns)).join('\n'),
  );
  return success(findings.some((finding) => finding.level === 'error') ? 1 : 0);
}

/** A home that others can look into is not fine as well. */
function withoutPraise(findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const isOpen = findings.some(({ check }) => check === 'permissions');
  return findings.filter(({ check, level }) => !(isOpen && check === 'home' && level === 'ok'));
}

/** Mends one class of findings, or all; what it cannot mend, or not without a person, is shown. */
export async function mend(
  context: CommandContext,
  { wanted, isConfirmed }: { readonly wanted: Wanted; readonly isConfirmed: boolean },
): Promise<Ending> {
  if (context.actor === 'agent') return failed({ kind: 'not-for-agents', action: 'mend' });
  const classes = wanted === 'all' ? FINDING_CLASSES : [wanted];
  const found = await context.doctor.diagnose();
  if (!found.ok) return found;
  const meant = found.value.filter((finding) => classes.includes(finding.class));
  const agreed = await agree(context, meant, isConfirmed);
  if (!agreed.ok) return agreed;
  if (!agreed.value) return success(1);
  const report = await context.doctor.mend({ classes, reach: 'asked' });
  if (!report.ok) return report;
  context.output.result(report.value, () => formatReport(report.value, context.output.columns));
  const { failed: inVain, remaining } = report.value;
  const isBad = remaining.some(({ severity }) => severity === 'error');
  return success(inVain.length > 0 || isBad ? 1 : 0);
}

/** What ends or takes away something is asked for first. */
async function agree(
  context: CommandContext,
  meant: readonly Finding[],
  isConfirmed: boolean,
): ReturnType<typeof confirm> {
  const asked = meant.filter(({ fixable }) => fixable === 'with-fix');
  const [only] = asked;
  if (only === undefined) return success(true);
  if (!isConfirmed && context.terminal.isInteractive) {
    for (const finding of asked) {
      context.output.note(formatFinding(fromFinding(finding), context.output.columns));
    }
  }
  const what = asked.length === 1 ? only.message : `${asked.length} findings`;
  return confirm(context, { action: `mend this: ${what}`, isConfirmed });
}
