import { some } from './describe-daily-failure.js';
import type { Description, Descriptions, FailureOf } from './description.js';

/** Failures about bringing a task's work into its base. */
export const MERGE_DESCRIPTIONS: Descriptions<
  'merge-conflict' | 'merge-refused' | 'checks-failed' | 'pr-open'
> = {
  'merge-conflict': (failure) => ({
    message: `"${failure.branch}" conflicts with "${failure.base}" in ${some(failure.files)}.`,
    hint: `The task is working again, and its worker is told to bring ${failure.base} into the branch. Merge when it has handed over.`,
  }),
  'merge-refused': (failure) => describeRefusedMerge(failure),
  'checks-failed': (failure) => ({
    message: `${STAGES[failure.stage]}: the check "${failure.check.command}" ${endOf(failure)}.`,
    hint: `Its output is in ${failure.log}`,
  }),
  'pr-open': (failure) => ({
    message: `The task has an open pull request: ${failure.url}`,
    hint: 'Merge it there, or merge here all the same with --local.',
  }),
};

const STAGES = {
  handoff: 'Not handed over',
  merge: 'Not merged',
  finalize: 'Not ready',
} as const;

function endOf({ check }: FailureOf<'checks-failed'>): string {
  if (check.result === 'timed-out') return 'did not end in time';
  if (check.result === 'stopped') return 'was stopped';
  return `failed (exit ${check.exitStatus ?? '?'})`;
}

type RefusedMerge = FailureOf<'merge-refused'>;
const REFUSED_MERGES: Readonly<
  Record<RefusedMerge['reason'], (base: string, where: string) => readonly [string, string]>
> = {
  'dirty-checkout': (base, where) => [
    `"${base}" is checked out${where} with uncommitted changes.`,
    'Commit or stash them there, then merge again.',
  ],
  'not-fast-forward': (base, where) => [
    `"${base}"${where} has commits that the branch lacks, so it cannot be fast-forwarded.`,
    'Merge with another way: --strategy squash',
  ],
  'base-moved': (base, where) => [
    `"${base}"${where} moved while the merge was being built.`,
    'Merge again; the result is built anew.',
  ],
  'nothing-to-merge': (base) => [
    `The branch has nothing that "${base}" lacks.`,
    'Cancel the task if it is not needed: orange task cancel',
  ],
  'uncommitted-work': (_base, where) => [
    `the task's worktree has uncommitted work${where}.`,
    'Commit it there (orange task attach), then merge again.',
  ],
  'commits-elsewhere': (_base, where) => [
    `the task's worktree${where} has commits that its branch lacks.`,
    'Bring them to the branch there (git status says where it stands), then merge again.',
  ],
  'head-moved': (_base, where) => [
    `the branch${where} has moved since its work was judged.`,
    'See what is new with: orange task diff. Then merge with --anyway, or have it reviewed again: orange task request-changes TASK -m "hand over again"',
  ],
  'signing-failed': (_base, where) => [
    `git could not sign the merge commit${where}.`,
    'Unlock the signing key (or set commit.gpgsign=false for this repository), then merge again.',
  ],
};

function describeRefusedMerge(failure: RefusedMerge): Description {
  const where = failure.where === undefined ? '' : ` at ${failure.where}`;
  const [message, hint] = REFUSED_MERGES[failure.reason](failure.base, where);
  return failure.isTrial === true
    ? { message: `Not tried: ${message}`, hint: hint.replace('merge again', 'finalize again') }
    : { message: `Merge refused: ${message}`, hint };
}
