/**
 * How a living agent is getting on, where that is worth a look: `quiet` for a while, `stalled` after
 * the whole ladder, or `waiting-for-human` because it asks somebody something.
 */
export type AttentionKind = 'quiet' | 'stalled' | 'waiting-for-human';

export type Attention = {
  readonly kind: AttentionKind;
  /** The launch it is about; of any other it says nothing. */
  readonly launchId: string;
  /** Since when, ISO 8601. */
  readonly since: string;
  readonly reason: string;
  /** Whether the agent has been asked how it gets on. */
  readonly wasPolled: boolean;
};

/** The steps of the ladder of silence, lowest first. */
export const RUNGS = ['amber', 'poll', 'stall'] as const;
export type Rung = (typeof RUNGS)[number];

/** What is said of an agent that waits and did not say for what. */
export const WAITS_WITHOUT_WORDS = 'its agent waits for somebody';
export const QUIET_REASON = 'nothing new from its agent for a while';
/** For how long goes on counting, and is added where it is shown. */
export const STALLED_REASON = 'no sign of life from its agent';
