import { createHash } from 'node:crypto';

/**
 * What a screen says, as one short text to compare: spinners, clocks and counters of time and tokens
 * turn without anything being done, so they are left out.
 */
export function digestScreen(lines: readonly string[]): string {
  const still = lines.map(stillLine).filter((line) => line !== '');
  return createHash('sha256').update(still.join('\n')).digest('base64url');
}

function stillLine(line: string): string {
  const text = line.trim();
  if (SPINNER.test(text) || INTERRUPT_HINT.test(text)) return SPINNER_MARK;
  return text
    .replace(CLOCK, '')
    .replace(DURATION, '')
    .replace(TOKENS, '')
    .replace(TURNING_SIGN, SPINNER_MARK)
    .replace(/\s+/gu, ' ')
    .trim();
}

const SPINNER_MARK = '~';
// A turning sign and a few words that change with it: `✻ Pondering… (12s · ↑ 1.2k tokens)`.
const SPINNER = /^[⠀-⣿✢✣✤✥✦✧✱✲✳✴✵✶✷✸✹✺✻✼✽·∙•◐◓◑◒|/\\-]\s+\S.*(?:…|\.\.\.)/u;
// Without that end it may be an item of a list: its words count, and only the sign does not.
const TURNING_SIGN = /^[⠀-⣿◐◓◑◒|/\\-](?=\s|$)|(?<=\s)[⠀-⣿◐◓◑◒|/\\-]\s*$/gu;
const INTERRUPT_HINT = /\b(?:esc|ctrl[+-]c|escape)\b[^)]{0,24}\b(?:interrupt|cancel|stop)\b/iu;
const CLOCK = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b/giu;
const DURATION = /\b\d+(?:\.\d+)?\s?(?:ms|s|m|h|sec|secs|seconds?|min|mins|minutes?|hours?)\b/giu;
const TOKENS = /[↑↓]?\s?\b\d[\d.,]*\s?[kKmM]?\s?tokens?\b/gu;
