import type { Description, FailureOf } from './description.js';
import type { MoveRefusal } from './move-refusal.js';

type Refused = FailureOf<'move-refused'>;
type RefusalKind = MoveRefusal['kind'];
type RefusalOf<K extends RefusalKind> = Extract<MoveRefusal, { readonly kind: K }>;

/** Why a move is refused, and what would make it possible. */
export function describeRefusal(failure: Refused): Description {
  const [reason, hint] = describeAs(failure.because.kind, failure.because, failure);
  return { message: `Status ${failure.from} → ${failure.to} is refused: ${reason}.`, hint };
}

function describeAs<K extends RefusalKind>(
  kind: K,
  because: RefusalOf<K>,
  failure: Refused,
): readonly [string, string] {
  return REFUSALS[kind](because, failure);
}

const FORMATS = {
  Plan: 'Write a "## Plan" section with a line "APPROACH: …" or "TOUCHING: …" into TASK.md.',
  Handoff:
    'Write a new "## Handoff" section with a line "DONE: …", "REMAINING: …", "DECISIONS: …" or "UNCERTAIN: …" into TASK.md.',
  Review:
    'Write a "## Review" section that starts with "Verdict: PASS" or "Verdict: FAIL" into TASK.md.',
} as const;

const REFUSALS: {
  readonly [K in RefusalKind]: (
    because: RefusalOf<K>,
    failure: Refused,
  ) => readonly [reason: string, hint: string];
} = {
  'no-such-move': (_because, failure) => [
    `no move leads there from ${failure.from}`,
    `See what is possible with: orange task show ${nameOf(failure)}`,
  ],
  terminal: (_because, failure) => [
    `a task that is ${failure.from} is over`,
    `Start a new, related task: orange task reopen ${nameOf(failure)}`,
  ],
  'not-for-agents': () => [
    'only a person may ask for this move',
    'Ask the person who supervises this task: orange task ask "QUESTION"',
  ],
  'artifact-missing': (because) => [
    `TASK.md has no valid, fresh ${because.section} section`,
    FORMATS[because.section],
  ],
  'verdict-says': (because) => [
    `the Review section says "Verdict: ${because.verdict}"`,
    because.verdict === 'PASS'
      ? 'A passed review leads to reviewing; to send the task back, change the verdict to FAIL.'
      : 'A failed review leads to working or stuck; to accept the work, change the verdict to PASS.',
  ],
  'reviewer-not-started': (_because, failure) => [
    'no reviewer has started in this round, so a verdict does not count yet',
    `Wait for the reviewer, or start it with: orange task respawn ${nameOf(failure)}`,
  ],
  'rounds-left': (because) => [
    `review round ${because.round} of ${because.max} leaves another one`,
    'Set the status to working instead.',
  ],
  'rounds-used': (because) => [
    `all ${because.max} review rounds are used (this is round ${because.round})`,
    'Set the status to stuck instead; a person decides how to go on.',
  ],
  'gate-closed': (because) => [
    `the ${because.gate} gate is set to "${because.mode}"`,
    because.mode === 'human'
      ? 'A person has to decide it.'
      : 'Let the gate decide, or change policy.gates in config.yaml.',
  ],
  reserved: ({ holders, paths }) => [
    `${holders.join(', ')} ${holders.length === 1 ? 'has' : 'have'} files that it names (${paths.join(', ')})`,
    'It goes on by itself when they are merged; to take them away: orange locks release --task TASK',
  ],
  'needs-merge': (_because, failure) => [
    'the work is not merged yet',
    `Merge it with: orange task merge ${nameOf(failure)}`,
  ],
};

function nameOf(failure: Refused): string {
  return failure.task ?? 'TASK';
}
