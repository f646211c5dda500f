import type { MendReport } from '../domain/finding.js';
import { fromFinding, type DoctorFinding } from './doctor-finding.js';
import { paint, type Tone } from './paint.js';
import { oneLine, wrapPieces } from './table.js';

const SIGNS: Readonly<Record<DoctorFinding['level'], readonly [string, Tone]>> = {
  ok: ['ok   ', 'green'],
  warn: ['warn ', 'yellow'],
  error: ['error', 'red'],
};

const INDENT = 15;

/** One line of the doctor, with what to do about it below. */
export function formatFinding(finding: DoctorFinding, columns: number): string {
  const [sign, tone] = SIGNS[finding.level];
  const layout = { columns, indent: INDENT, gap: ' ' };
  const after = (head: string, text: string): string =>
    wrapPieces([head, ...oneLine(text).split(' ')], layout);
  const line = after(`${paint(tone, sign)} ${finding.check.padEnd(8)}`, finding.message);
  if (finding.remedy === null) return line;
  return `${line}\n${paint('dim', after(' '.repeat(INDENT - 1), finding.remedy))}`;
}

/** What was mended, what could not be, and what is still there. */
export function formatReport({ done, failed, remaining }: MendReport, columns: number): string {
  if (done.length + failed.length + remaining.length === 0) return 'Nothing to mend.';
  return [
    ...done.map((each) => `${paint('green', 'mended')} ${each.class}: ${oneLine(each.message)}`),
    ...failed.map(
      ({ finding, reason }) => `${paint('red', 'failed')} ${finding.class}: ${oneLine(reason)}`,
    ),
    ...remaining.map((finding) => formatFinding(fromFinding(finding), columns)),
  ].join('\n');
}
