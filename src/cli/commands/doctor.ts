import type { Command } from 'commander';
import { success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import type { DoctorFinding } from '../doctor-finding.js';
import { withJson, type JsonOption } from '../options.js';
import { paint, type Tone } from '../paint.js';
import { oneLine, wrapText } from '../table.js';

export function addDoctorCommand(program: Command, run: Run): void {
  withJson(program.command('doctor'))
    .description('look for what is wrong, and say what to do; changes nothing')
    .action((options: JsonOption) => run(options, diagnose));
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
