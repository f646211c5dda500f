import type { SessionState } from '../domain/session.js';
import type { Status } from '../domain/status.js';

/** How a piece of text is drawn; every colour of the dashboard comes from this file. */
export type Tone = {
  readonly color?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isInverse?: boolean;
};

export type Span = { readonly text: string; readonly tone: Tone };
export type Line = readonly Span[];

export const SESSION_TONES: Readonly<Record<SessionState, Tone>> = {
  active: { color: 'green' },
  crashed: { color: 'red' },
  inactive: { color: 'gray' },
};

/** As in `orange ls`: green goes on by itself, yellow waits for a person, red is stuck. */
export const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  pending: { isDim: true },
  planning: { color: 'green' },
  clarification: { color: 'yellow' },
  working: { color: 'green' },
  'agent-review': { color: 'green' },
  reviewing: { color: 'yellow' },
  stuck: { color: 'red' },
  done: { isDim: true },
  cancelled: { isDim: true },
};

export const PLAIN: Tone = {};
export const QUIET: Tone = { isDim: true };
export const STRONG: Tone = { isBold: true };
export const BRAND: Tone = { color: 'yellow', isBold: true };
export const KEY: Tone = { color: 'cyan' };
export const GOOD: Tone = { color: 'green' };
export const WARNING: Tone = { color: 'yellow' };
export const BAD: Tone = { color: 'red' };
export const CURSOR: Tone = { isInverse: true };

export function span(text: string, tone: Tone = PLAIN): Span {
  return { text, tone };
}
