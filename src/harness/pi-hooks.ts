import { REPORT_FUNCTION } from './hook-report.js';

/** An extension for pi that says when it begins a turn and when it has ended it. */
export const PI_EXTENSION = `${REPORT_FUNCTION}
export default function orange(pi) {
  pi.on('agent_start', () => report('working'));
  pi.on('agent_end', () => report('turnOver'));
}
`;
