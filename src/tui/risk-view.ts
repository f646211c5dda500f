import { type Finalization, labelRisk, type Risk } from '../domain/finalization.js';
import type { TaskView } from '../domain/task-view.js';
import { wrapAtMost } from './display-text.js';
import { BAD, GOOD, type Line, type Span, span, type Tone, WARNING } from './palette.js';

/** How risky a merge is in a few characters, with a mark whether it can be made. */
export function riskChip(finalized: Finalization): Span {
  return span(`[${labelRisk(finalized)}] `, riskTone(finalized));
}

/** What finalize found out, if it has been asked. */
export function riskLines({ finalized }: TaskView, width: number): readonly Line[] {
  if (finalized === undefined) return [];
  const lines = wrapAtMost(describeFinalization(finalized), width, 2);
  return lines.map((line) => [span(line, riskTone(finalized))]);
}

export function describeFinalization(finalized: Finalization): string {
  const { ready, risk, action, files, lines, conflicts, behind } = finalized;
  const size = `${count(files, 'file')}, ${count(lines, 'line')}, ${count(conflicts, 'conflict')}`;
  const stands = ready ? 'ready to merge' : 'not ready, see artifacts/finalization-report.md';
  return `risk ${risk} · ${stands} · ${action} · ${size}, ${behind} behind`;
}

const RISK_TONES: Readonly<Record<Risk, Tone>> = {
  None: GOOD,
  Low: GOOD,
  Medium: WARNING,
  High: BAD,
  Critical: BAD,
};

/** A merge that cannot be made as things stand is bad news, however small it is. */
function riskTone({ ready, risk }: Finalization): Tone {
  return ready ? RISK_TONES[risk] : BAD;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
