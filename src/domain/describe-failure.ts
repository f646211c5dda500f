import { DAILY_DESCRIPTIONS } from './describe-daily-failure.js';
import { GITHUB_DESCRIPTIONS } from './describe-github-failure.js';
import { MERGE_DESCRIPTIONS } from './describe-merge-failure.js';
import { MACHINE_DESCRIPTIONS } from './describe-machine-failure.js';
import type { Description, Descriptions, FailureKind, FailureOf } from './description.js';
import type { Failure } from './failure.js';

const DESCRIPTIONS: Descriptions<FailureKind> = {
  ...DAILY_DESCRIPTIONS,
  ...MERGE_DESCRIPTIONS,
  ...GITHUB_DESCRIPTIONS,
  ...MACHINE_DESCRIPTIONS,
};

/** The only place where a failure's facts become text for a person. */
export function describeFailure(failure: Failure): Description {
  return describeAs(failure.kind, failure);
}

function describeAs<K extends FailureKind>(kind: K, failure: FailureOf<K>): Description {
  return DESCRIPTIONS[kind](failure);
}

/** The code scripts may rely on; it is the same across versions. */
export function codeOf(failure: Failure): FailureKind {
  return failure.kind;
}

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  timedOut: 4,
  bug: 70,
  hung: 75,
  locked: 100,
} as const;

const EXIT_CODES: Readonly<Partial<Record<FailureKind, number>>> = {
  'invalid-argument': EXIT.usage,
  ambiguous: EXIT.usage,
  'branch-invalid': EXIT.usage,
  'not-found': EXIT.notFound,
  'harness-unknown': EXIT.notFound,
  'waited-too-long': EXIT.timedOut,
  internal: EXIT.bug,
  'home-locked': EXIT.locked,
};

export function exitCodeFor(failure: Failure): number {
  return EXIT_CODES[failure.kind] ?? EXIT.failed;
}
