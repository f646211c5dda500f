import type { CheckRun } from '../domain/check-run.js';
import { cleanText } from '../domain/clean-text.js';
import { assessRisk, type Finalization } from '../domain/finalization.js';
import type { Examination } from '../domain/merge-request.js';
import type { TaskState } from '../domain/world.js';

/** The report of `task finalize`, as Markdown. */
export function formatReport(parts: {
  readonly task: TaskState;
  readonly base: string;
  readonly examination: Examination;
  readonly checks: readonly CheckRun[];
  readonly finalization: Finalization;
}): string {
  const { task, base, examination, checks, finalization } = parts;
  const { fields } = task;
  const risk = assessRisk(finalization);
  return [
    `# Finalization report: ${plain(fields.summary) || plain(fields.branch)}`,
    '',
    `Task ${fields.id}, branch ${plain(fields.branch)} at ${examination.head}.`,
    '',
    '## Sync Summary',
    '',
    ...table(
      ['Metric', 'Value'],
      [
        ['Target Branch', `${base} (${examination.base.slice(0, 12)})`],
        ['Commits Behind (before sync)', String(finalization.behind)],
        ['Conflicts Resolved', `${examination.merged.length} by git, 0 by hand`],
        ['Files Changed', String(finalization.files)],
        ['Lines Changed', String(finalization.lines)],
      ],
    ),
    '',
    '## Conflict Resolution',
    '',
    ...table(
      ['File', 'Conflict Type', 'Resolution', 'Verified'],
      conflictRows(examination, checks),
    ),
    '',
    '## Test Results',
    '',
    ...table(['Suite', 'Result', 'Notes'], checkRows(finalization, checks)),
    '',
    '## Risk Assessment',
    '',
    ...table(
      ['Factor', 'Value', 'Risk'],
      [
        ['Files Changed', String(finalization.files), risk.files],
        ['Lines Changed', String(finalization.lines), risk.lines],
        ['Conflicts', String(finalization.conflicts), risk.conflicts],
        ['**Overall**', '', `**${risk.overall}**`],
      ],
    ),
    '',
    '## Merge Decision',
    '',
    `**Ready for Merge**: ${finalization.ready ? 'YES' : 'NO'}`,
    '',
    `**Recommended Action**: ${finalization.action}`,
    '',
  ].join('\n');
}

type Row = readonly string[];

function conflictRows(examination: Examination, checks: readonly CheckRun[]): readonly Row[] {
  const isPassed = checks.length > 0 && checks.every(({ result }) => result === 'passed');
  const rows = [
    ...examination.conflicts.map(({ file, type }) => [file, type, 'left to the worker', 'no']),
    ...examination.merged.map((file) => [
      file,
      'changed on both sides',
      'merged by git, both kept',
      isPassed ? 'by the checks' : 'no',
    ]),
  ];
  return rows.length === 0 ? [['–', 'none', '–', '–']] : rows;
}

function checkRows({ conflicts }: Finalization, checks: readonly CheckRun[]): readonly Row[] {
  if (conflicts > 0) return [['–', 'not run', 'there are conflicts']];
  if (checks.length === 0) return [['–', 'not run', 'no checks are set (policy.checks)']];
  return checks.map(({ command, result, exitStatus, durationMs }) => [
    command,
    result,
    `exit ${exitStatus ?? '–'}, ${(durationMs / 1000).toFixed(1)} s`,
  ]);
}

function table(head: Row, rows: readonly Row[]): readonly string[] {
  const line = (cells: Row): string => `| ${cells.map(plain).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

/** A file or a command may be called anything; in a table it stays one cell. */
function plain(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`).trim();
}
