import type { CheckRun, CheckStage } from './check-run.js';

/** What can be in the way of bringing a task's work into its base. */
export type MergeFailure =
  | {
      readonly kind: 'merge-conflict';
      readonly branch: string;
      readonly base: string;
      readonly files: readonly string[];
      /** The commit of the base that it was tried with. */
      readonly onto?: string;
    }
  | {
      readonly kind: 'merge-refused';
      readonly base: string;
      readonly reason:
        | 'dirty-checkout'
        | 'not-fast-forward'
        | 'base-moved'
        | 'nothing-to-merge'
        | 'uncommitted-work'
        | 'commits-elsewhere'
        | 'head-moved'
        | 'signing-failed';
      readonly where?: string;
      /** Whether the merge was only tried. */
      readonly isTrial?: boolean;
    }
  | {
      readonly kind: 'checks-failed';
      readonly stage: CheckStage;
      readonly check: CheckRun;
      /** The file with its output. */
      readonly log: string;
    }
  | { readonly kind: 'pr-open'; readonly url: string };
