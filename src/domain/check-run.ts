/** When the commands of `policy.checks` are run. */
export type CheckStage = 'handoff' | 'merge' | 'finalize';

/** What came of one command of `policy.checks`, or of the set-up before it. */
export type CheckRun = {
  readonly command: string;
  /** `stopped`: nobody wants to know any more, since the task is to be cancelled. */
  readonly result: 'passed' | 'failed' | 'timed-out' | 'stopped';
  readonly exitStatus: number | null;
  readonly durationMs: number;
  /** The end of what it said. */
  readonly tail: string;
};
