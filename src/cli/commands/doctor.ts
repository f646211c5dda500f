import type { Command } from 'commander';
import { MEND_CLASSES, type Finding, type MendClass } from '../../domain/finding.js';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { fromFinding, type DoctorFinding } from '../doctor-finding.js';
import { formatReport } from '../format-mend.js';
import { choice, withJson, withYes, type JsonOption } from '../options.js';
import { paint, type Tone } from '../paint.js';
import { oneLine, wrapText } from '../table.js';

type DoctorOptions = JsonOption & { readonly fix?: MendClass; readonly yes?: boolean };

export function addDoctorCommand(program: Command, run: Run): void {
  withYes(withJson(program.command('doctor')))
    .description('look for what is wrong, and say what to do; changes nothing without --fix')
    .addOption(choice('--fix <class>', 'mend what is out of place, of one class', MEND_CLASSES))
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
  const findings = [...(await checkMachine(context)), ...(await checkRecord(context))];
  context.output.result(findings, () =>
    findings.map((finding) => formatFinding(finding, context.output.columns)).join('\n'),
  );
  return success(findings.some((finding) => finding.level === 'error') ? 1 : 0);
}

/** Mends one class of findings, or all; what it cannot mend, or not without a person, is shown. */
export async function mend(
  context: CommandContext,
  { wanted, isConfirmed }: { readonly wanted: MendClass; readonly isConfirmed: boolean },
): Promise<Ending> {
  if (context.actor === 'agent') return failed({ kind: 'not-for-agents', action: 'mend' });
  const found = await context.doctor.diagnose();
  if (!found.ok) return found;
  const meant = found.value.filter((finding) => wanted === 'all' || finding.class === wanted);
  const isAgreed = await agree(context, meant, isConfirmed);
  if (!isAgreed.ok) return isAgreed;
  if (!isAgreed.value) return success(1);
  const report = await context.doctor.mend(wanted);
  if (!report.ok) return report;
  const { done, remaining } = report.value;
  context.output.result(report.value, () =>
    [
      ...(done.length === 0 && remaining.length === 0 ? ['Nothing to mend.'] : []),
      ...formatReport(report.value),
      ...remaining.map((finding) => formatFinding(fromFinding(finding), context.output.columns)),
    ].join('\n'),
  );
  return success(report.value.failed.length > 0 || remaining.some(isError) ? 1 : 0);
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

/** Ending something or taking something away is asked for first. */
async function agree(
  context: CommandContext,
  meant: readonly Finding[],
  isConfirmed: boolean,
): ReturnType<typeof confirm> {
  const asked = meant.filter(({ fixable }) => fixable === 'with-fix');
  if (asked.length === 0) return success(true);
  if (!isConfirmed && context.terminal.isInteractive) {
    for (const finding of asked) {
      context.output.note(formatFinding(fromFinding(finding), context.output.columns));
    }
  }
  const [only] = asked;
  const what = asked.length === 1 && only !== undefined ? only.message : `${asked.length} findings`;
  return confirm(context, { action: `mend this: ${what}`, isConfirmed });
}

const SIGNS: Readonly<Record<DoctorFinding['level'], readonly [string, Tone]>> = {
  ok: ['ok   ', 'green'],
  warn: ['warn ', 'yellow'],
  error: ['error', 'red'],
};

const INDENT = 15;

function formatFinding(finding: DoctorFinding, columns: number): string {
  const [sign, tone] = SIGNS[finding.level];
  const words = (text: string): string => wrapText(oneLine(text), columns - INDENT, INDENT);
  const line = `${paint(tone, sign)} ${finding.check.padEnd(8)} ${words(finding.message)}`;
  if (finding.remedy === null) return line;
  return `${line}\n${' '.repeat(INDENT)}${paint('dim', words(finding.remedy))}`;
}
