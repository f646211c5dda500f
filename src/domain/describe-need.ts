import { isAboutHistory, isAboutLoss, isFault, type Diagnostic } from './diagnostic.js';
import type { AgentMessage } from './effect.js';
import type { OpenQuestion } from './section.js';
import type { Status } from './status.js';
import type { TaskFields } from './task.js';
import type { WaitReason } from './task-view.js';

/** How the agent of a task that waits has ended meanwhile, when it did and may be missed. */
type Waiting = { readonly gone?: string | null };

/** Why a task waits for a person; the kind is the stable code that scripts may rely on. */
export type Need =
  | ({ readonly kind: 'question'; readonly open: readonly OpenQuestion[] } & Waiting)
  | ({ readonly kind: 'review' } & Waiting)
  | ({ readonly kind: 'merge-failed'; readonly reason: string } & Waiting)
  | { readonly kind: 'pr-closed-with-commits' }
  | { readonly kind: 'pr-feedback'; readonly count: number }
  | ({
      readonly kind: 'stuck';
      readonly because: string | null;
      /** Where it got stuck, if that is known. */
      readonly from?: Status | null;
    } & Waiting)
  | { readonly kind: 'start-gate' }
  | { readonly kind: 'plan-gate' }
  | { readonly kind: 'start-failed'; readonly reason: string }
  | { readonly kind: 'harness-not-installed'; readonly harness: string }
  | { readonly kind: 'project-missing' }
  | { readonly kind: 'dead-end'; readonly blocker: string; readonly isCancelled: boolean }
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | { readonly kind: 'budget' }
  | { readonly kind: 'interrupted' | 'crashed'; readonly ended: string }
  | { readonly kind: 'stalled'; readonly reason: string }
  | { readonly kind: 'waiting-for-human'; readonly reason: string }
  | { readonly kind: 'undelivered'; readonly about: AgentMessage['kind']; readonly reason: string }
  | { readonly kind: 'edit-kept'; readonly transcript: string }
  | { readonly kind: 'fault'; readonly problem: string }
  /** A Plan waits for files that others have; the command is about the first of them. */
  | { readonly kind: 'reserved'; readonly others: string; readonly settle: string }
  | {
      readonly kind: 'unreadable';
      readonly problem: string;
      /** `lost`: the file says nothing or is gone; `history`: what happened cannot be told there. */
      readonly about?: 'lost' | 'history';
    };

/** What a task that nothing moves needs, by the first thing that is wrong with it. */
export function needFor(problem: Diagnostic): Need {
  if (isFault(problem)) return { kind: 'fault', problem: problem.message };
  const { message } = problem;
  if (isAboutHistory(problem)) return { kind: 'unreadable', problem: message, about: 'history' };
  if (isAboutLoss(problem)) return { kind: 'unreadable', problem: message, about: 'lost' };
  return { kind: 'unreadable', problem: message };
}

type NeedKind = Need['kind'];
type NeedOf<K extends NeedKind> = Extract<Need, { readonly kind: K }>;
type Words = { readonly message: string; readonly settle: string };

/** A need in words, with the command by which it is settled. */
export function describeNeed(need: Need, fields: TaskFields, since?: string): WaitReason {
  const words = describeAs(need.kind, need, fields);
  const gone = 'gone' in need ? (need.gone ?? null) : null;
  return {
    code: need.kind,
    ...words,
    ...(since === undefined ? {} : { since }),
    ...(gone === null ? {} : { gone }),
  };
}

function describeAs<K extends NeedKind>(kind: K, need: NeedOf<K>, fields: TaskFields): Words {
  return NEEDS[kind](need, nameForCommand(fields), fields);
}

const NEEDS: {
  readonly [K in NeedKind]: (need: NeedOf<K>, name: string, fields: TaskFields) => Words;
} = {
  question: ({ open, gone }, name) => ({
    message: withLoss(describeQuestions(open), gone),
    settle: `orange task answer ${name} TEXT`,
  }),
  review: ({ gone }, name) => ({
    message: withLoss('waits for your review: merge it or send it back', gone),
    settle: `orange task merge ${name}`,
  }),
  'merge-failed': ({ reason, gone }, name) => ({
    message: withLoss(reason, gone),
    settle: `orange task merge ${name}`,
  }),
  'pr-closed-with-commits': (_need, name) => ({
    message:
      'its pull request was closed, and here is work that GitHub never had: open another one, merge it here, or cancel the task',
    settle: `orange pr create ${name}`,
  }),
  'pr-feedback': ({ count }, name) => ({
    message: `${count === 1 ? 'a failing check or a comment is' : `${count} failing checks or comments are`} new on its pull request; see: orange pr feedback ${name}`,
    settle: `orange pr feedback ${name} --send`,
  }),
  // Back to working would pass by the Plan, and by the person who is to approve it.
  stuck: ({ because, from, gone }, name) => ({
    message: withLoss(because ?? 'asked for a person', gone),
    settle: `orange task update ${name} --status ${from === 'planning' ? 'planning' : 'working'}`,
  }),
  'start-gate': (_need, name) => ({
    message: 'waits for a person to start it',
    settle: `orange approve ${name}`,
  }),
  'plan-gate': (_need, name) => ({
    message: 'waits for a person to approve its plan',
    settle: `orange approve ${name}`,
  }),
  'start-failed': ({ reason }, name) => ({
    message: `could not start: ${reason}`,
    settle: `orange task show ${name}`,
  }),
  'harness-not-installed': ({ harness }, name) => ({
    message: `harness ${harness} is not installed`,
    settle: `orange task update ${name} --harness NAME`,
  }),
  'project-missing': (_need, _name, { project }) => ({
    message: `project ${project} is not registered`,
    settle: 'orange project add PATH',
  }),
  'dead-end': ({ blocker, isCancelled }, name) => ({
    message: `blocked by ${blocker}, which ${isCancelled ? 'was cancelled' : 'does not exist'}`,
    settle: `orange task unblock ${name} ${blocker}`,
  }),
  cycle: ({ path }, name) => ({
    message: `waits for itself: ${path.join(' → ')}`,
    settle: `orange task unblock ${name} ${path[1] ?? ''}`.trimEnd(),
  }),
  budget: (_need, name) => ({
    message: 'its budget is 0 tokens (budget in TASK.md)',
    settle: `orange task show ${name}`,
  }),
  interrupted: ({ ended }, name) => ({
    message: ended,
    settle: `orange task respawn ${name}`,
  }),
  crashed: ({ ended }, name) => ({ message: ended, settle: `orange task respawn ${name}` }),
  stalled: ({ reason }, name) => ({ message: reason, settle: `orange task attach ${name}` }),
  'waiting-for-human': ({ reason }, name) => ({
    message: reason,
    settle: `orange task attach ${name}`,
  }),
  undelivered: ({ about, reason }, name) => ({
    message: `its agent has not been told that ${NEWS[about]}: ${reason}`,
    settle: `orange task respawn ${name}`,
  }),
  'edit-kept': ({ transcript }, name) => ({
    message: `words that could not go into TASK.md are in transcripts/${transcript}`,
    settle: `orange task report ${name} -m seen`,
  }),
  fault: ({ problem }) => ({ message: problem, settle: 'orange log' }),
  reserved: ({ others, settle }) => ({
    message: `its plan waits for files of ${others}`,
    settle,
  }),
  unreadable: ({ problem, about }, name) => ({
    message: about === 'history' ? problem : `TASK.md cannot be read: ${problem}`,
    settle: about === undefined ? `orange validate ${name}` : UNREADABLE[about],
  }),
};

const UNREADABLE = {
  lost: 'orange doctor --fix task-unreadable',
  history: 'orange doctor',
} as const;

function withLoss(message: string, gone: string | null = null): string {
  return gone === null ? message : `${message}; ${describeLoss(gone)}`;
}

/** That the agent of a task that waits is not there any more, and how it ended. */
export function describeLoss(gone: string): string {
  return `its agent is gone: ${gone}`;
}

const NEWS: Readonly<Record<AgentMessage['kind'], string>> = {
  'review-failed': 'its review failed',
  'changes-requested': 'changes are wanted',
  'checks-failed': 'a check of its work failed',
  'merge-conflict': 'its branch conflicts with the base',
  'pr-feedback': 'something was said on its pull request',
  answered: 'its question is answered',
  'plan-approved': 'its plan is approved',
  'plan-rejected': 'its plan is rejected',
  'go-on': 'the task goes on',
  poll: 'somebody asks how it gets on',
  overlap: 'others change the same files',
  'put-back': 'what it wrote into TASK.md was put back',
  text: 'somebody has written to it',
};

/** A task as it is named on a command line: by project/branch where a shell leaves that alone. */
export function nameForCommand({ id, project, branch }: TaskFields): string {
  const name = `${project}/${branch}`;
  return /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(name) ? name : id;
}

const LONGEST_QUESTION = 200;

function describeQuestions([first, ...more]: readonly OpenQuestion[]): string {
  if (first === undefined) return 'the agent asks: see its terminal or ## Questions in TASK.md';
  const line = first.text.replace(/\s+/g, ' ').trim();
  const text = line.length > LONGEST_QUESTION ? `${line.slice(0, LONGEST_QUESTION)}…` : line;
  return `asks: ${text}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}
