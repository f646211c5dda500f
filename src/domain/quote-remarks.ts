import type { Remark } from './pull-request.js';

/**
 * Remarks as quoted lines, each of which begins with `>`: strangers wrote them, so that nothing in
 * them may pass for a heading, a verdict or a word of orange's own.
 */
export function quoteRemarks(remarks: readonly Remark[], most = LONGEST): string {
  const lines = remarks.flatMap((remark) => [
    headLine(remark),
    ...(remark.kind === 'check' ? [] : remark.text.split('\n').map((line) => `  ${line}`)),
  ]);
  const quoted = lines.map((line) => `> ${line}`.trimEnd()).join('\n');
  return quoted.length > most ? `${quoted.slice(0, most)}…` : quoted;
}

/** As much as can be pasted into a terminal without harm. */
const LONGEST = 4000;

function headLine({ kind, author, isTrusted, where, text }: Remark): string {
  const place = where === null ? '' : ` (${where})`;
  if (kind === 'check') return `- check ${author}: ${text}${place}`;
  return `- ${author === '' ? 'somebody' : author}${isTrusted ? '' : ', who is no member'}${place}:`;
}
