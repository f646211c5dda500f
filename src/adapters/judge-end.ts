import type { Interruption } from '../domain/session.js';

/** What is known of an agent's end, and of the server and the machine it ran on. */
export type EndEvidence = {
  /** Whether the launcher wrote down how it ended. */
  readonly isRecorded: boolean;
  /** Whether its terminal was taken away before it ended. */
  readonly hasHungUp: boolean;
  readonly signal: string | null;
  readonly isSameBoot: boolean;
  /** Null when it is not known which server it ran on. */
  readonly isServerAlive: boolean | null;
  /** Whether orange itself has ended it, because it had lost its window. */
  readonly isOrangesDoing: boolean;
};

export type EndJudgement = {
  readonly interruptedBy: Interruption | null;
  /** Whether the answer may change in a moment, because a server that dies closes terminals first. */
  readonly isInDoubt: boolean;
};

/** Tells an end that is the agent's own from one that the server, the machine or orange brought with it. */
export function judgeEnd(evidence: EndEvidence): EndJudgement {
  const judged = judgeOutside(evidence);
  return evidence.isOrangesDoing && judged.interruptedBy === null ? ENDED_BY_ORANGE : judged;
}

function judgeOutside(evidence: EndEvidence): EndJudgement {
  const lostTerminal = !evidence.isRecorded || evidence.hasHungUp;
  const wasKilled = evidence.signal !== null && SHUTDOWN_SIGNALS.has(evidence.signal);
  if (!lostTerminal && !wasKilled) return OWN_END;
  if (!evidence.isSameBoot) return { interruptedBy: 'reboot', isInDoubt: false };
  if (evidence.isServerAlive === false) return { interruptedBy: 'server', isInDoubt: false };
  return { interruptedBy: null, isInDoubt: lostTerminal && evidence.isServerAlive === true };
}

const ENDED_BY_ORANGE: EndJudgement = { interruptedBy: 'window', isInDoubt: false };
const OWN_END: EndJudgement = { interruptedBy: null, isInDoubt: false };

// What a machine that goes down, or whoever ends the server, sends to everybody.
const SHUTDOWN_SIGNALS: ReadonlySet<string> = new Set(['SIGHUP', 'SIGTERM', 'SIGKILL']);
