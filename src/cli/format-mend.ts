import type { MendReport } from '../domain/finding.js';
import { paint } from './paint.js';
import { oneLine } from './table.js';

/** What was mended and what could not be, one line each. */
export function formatReport({ done, failed }: MendReport): readonly string[] {
  return [
    ...done.map(
      ({ message, class: kind }) => `${paint('green', 'mended')} ${kind}  ${oneLine(message)}`,
    ),
    ...failed.map(
      ({ finding, reason }) =>
        `${paint('red', 'failed')} ${finding.class}  ${oneLine(finding.message)}: ${oneLine(reason)}`,
    ),
  ];
}
