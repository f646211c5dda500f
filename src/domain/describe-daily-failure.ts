import type { Descriptions, FailureOf } from './description.js';
import { describeRefusal } from './describe-refusal.js';
import { describeRefusedRestore } from './describe-restore.js';
import type { Named } from './failure.js';

/** Failures about tasks, projects, names and moves: what a person meets in a day's work. */
export const DAILY_DESCRIPTIONS: Descriptions<
  | 'not-found'
  | 'ambiguous'
  | 'invalid-argument'
  | 'move-refused'
  | 'file-rejected'
  | 'reserved'
  | 'wrong-status'
  | 'not-for-agents'
  | 'asked-too-often'
  | 'no-such-question'
  | 'no-gate-waiting'
  | 'moved-on'
  | 'project-exists'
  | 'project-in-use'
  | 'branch-invalid'
  | 'branch-in-use'
  | 'branch-conflict'
  | 'branch-missing'
  | 'base-missing'
  | 'pool-exhausted'
  | 'restore-refused'
  | 'blocked-by-self'
  | 'blocking-cycle'
  | 'not-eligible'
  | 'needs-confirmation'
  | 'not-a-terminal'
  | 'waited-too-long'
  | 'unsupported'
> = {
  'not-found': (failure) => ({
    message: `There is no ${NOUNS[failure.what] ?? failure.what} named "${failure.name}".`,
    hint:
      failure.near !== undefined && failure.near.length > 0
        ? `Did you mean ${anyOf(failure.near)}?`
        : (failure.remedy ?? PLACES[failure.what]),
  }),
  ambiguous: (failure) => ({
    message: `"${failure.name}" names more than one ${failure.what}: ${some(failure.candidates)}.`,
    hint: `Give more of the ${failure.what === 'task' ? 'id, or project/branch' : 'name'}.`,
  }),
  'invalid-argument': (failure) => ({
    message: `Invalid ${failure.argument}${quoted(failure.value)}: ${failure.rule.replace(/\.$/, '')}.`,
    hint: failure.remedy ?? null,
  }),
  'move-refused': (failure) => describeRefusal(failure),
  reserved: ({ holders, paths }) => ({
    message: `Not reserved: ${some(holders)} already hold${holders.length === 1 ? 's' : ''} ${some(paths)}.`,
    hint: 'See who holds what with: orange locks list',
  }),
  'file-rejected': (failure) => describeRejectedFile(failure),
  'wrong-status': (failure) => ({
    message:
      failure.task === undefined
        ? `Cannot ${failure.action} a task that is ${failure.status}.`
        : `Cannot ${failure.action} ${failure.task}: it is ${failure.status}.`,
    hint: whatElse(failure),
  }),
  'not-for-agents': (failure) => ({
    message: `An agent may not ${failure.action} a task (ORANGE_ROLE is set).`,
    hint: 'Write the section the status asks for, or ask with: orange task ask "QUESTION"',
  }),
  'asked-too-often': ({ perHour }) => ({
    message: `Agents of this task have asked for too much: ${perHour} requests an hour are allowed.`,
    hint: 'Wait some minutes, and ask once for what is needed, not in a loop.',
  }),
  'no-gate-waiting': (failure) => ({
    message:
      failure.waiting === null
        ? `There is nothing to ${failure.action}: the task is ${failure.status}, and no gate of it waits for a person.`
        : `The ${failure.wanted ?? ''} gate does not wait, the ${failure.waiting} gate does.`,
    hint:
      failure.waiting === null
        ? 'See what waits for you with: orange inbox --all'
        : `Leave --gate out, or give --gate ${failure.waiting}.`,
  }),
  'moved-on': (failure) => ({
    message: `Nothing was done: the task was ${failure.seen} when you decided, and is ${failure.status} now.`,
    hint: `Look at it (orange task show ${failure.task ?? 'TASK'}), then ${failure.action} again.`,
  }),
  'no-such-question': (failure) => ({
    message: `There is no question ${failure.question}${failure.known.length === 0 ? '' : `, only ${anyOf(failure.known.map(String))}`}.`,
    hint: `See them with: orange task show ${failure.task ?? 'TASK'}; without --question every open one is answered.`,
  }),
  'project-exists': (failure) => describeTwin(failure),
  'project-in-use': (failure) => ({
    message: `Project "${failure.name}" still has ${count(failure.tasks, 'unfinished task')}.`,
    hint: `Finish or cancel them first: orange task list --project ${failure.name}`,
  }),
  'branch-invalid': (failure) => ({
    message: `"${failure.branch}" cannot be a branch: ${failure.rule}.`,
    hint: 'Use letters, digits, "-", "_" and "/", e.g. fix/login-loop.',
  }),
  'branch-in-use': (failure) => describeTakenBranch(failure),
  'branch-conflict': (failure) => ({
    message: `Branch "${failure.branch}" cannot exist beside "${failure.with}": git keeps one as a folder of the other.`,
    hint: 'Choose a name that is not a path prefix of the other: orange task update --branch NAME',
  }),
  'branch-missing': ({ branch, mergedAs }) =>
    mergedAs === undefined
      ? {
          message: `Branch "${branch}" does not exist in the repository.`,
          hint: 'Start the task so that its branch is made, or restore the branch with git.',
        }
      : {
          message: `Branch "${branch}" is gone, since its work was merged.`,
          hint: `See the commit it became, in the repository, with: git show --first-parent ${mergedAs}`,
        },
  'base-missing': (failure) => ({
    message: `The base branch "${failure.base}" does not exist, neither here nor at the remote.`,
    hint: 'Name an existing one with --base, or set the default: orange project update --default-branch NAME',
  }),
  'pool-exhausted': (failure) => ({
    message: `All ${count(failure.size, 'worktree')} of project "${failure.project}" are taken.`,
    hint: `The task waits and starts when one is free; for more: orange project update ${failure.project} --pool-size N`,
  }),
  'restore-refused': (failure) => describeRefusedRestore(failure),
  'blocked-by-self': (failure) => ({
    message: `Task ${failure.task ?? failure.taskId} cannot wait for itself (blocked_by).`,
    hint: 'Name another task.',
  }),
  'blocking-cycle': (failure) => ({
    message: `These tasks would wait for each other for ever (blocked_by): ${failure.path.join(' → ')}.`,
    hint: 'Leave one of these dependencies out.',
  }),
  'not-eligible': (failure) => ({
    message: `Task ${failure.task ?? failure.taskId} cannot start yet: ${some(failure.reasons)}.`,
    hint: waysToStart(failure),
  }),
  'needs-confirmation': (failure) => ({
    message: `Will not ${failure.action}.`,
    hint: 'It needs a confirmation, and there is no terminal to ask on: give --yes to confirm.',
  }),
  'not-a-terminal': (failure) => ({
    message: `Cannot ${failure.action}: standard input and output must be a terminal.`,
    hint: failure.instead ?? 'For a list use: orange ls',
  }),
  'waited-too-long': (failure) => describeLongWait(failure),
  unsupported: (failure) => ({
    message: `orange cannot do this: ${failure.what}.`,
    hint: failure.instead === '' ? null : failure.instead,
  }),
};

function waysToStart({ firm, task, taskId }: FailureOf<'not-eligible'>): string {
  if (firm === undefined) {
    return `See all reasons with: orange next --explain. To start it anyway: orange task spawn --force ${task ?? taskId}`;
  }
  const way = firm.code === 'harness-not-installed' ? 'Install it, or choose another' : 'Settle it';
  return `${way} with: ${firm.remedy}. No --force starts it before.`;
}

function whatElse({ action, status, allowed, task = 'TASK' }: FailureOf<'wrong-status'>): string {
  if (status === 'reviewing' && action.startsWith('review')) {
    return `To accept the work, merge it: orange task merge ${task}`;
  }
  if (action === 'answer') {
    return `It waits for no answer. To say something to its agent: orange task send ${task} TEXT`;
  }
  if (status === 'stuck' && action === 'merge') {
    return `If its work is good as it is: orange task update ${task} --status reviewing, then merge it.`;
  }
  return allowed.length > 0
    ? `That is possible while it is ${anyOf(allowed)}.`
    : `See what is possible with: orange task show ${task}`;
}

function describeTwin({ name, path, same }: FailureOf<'project-exists'>) {
  const rename = 'Choose another name with --name.';
  if (same === 'repository') {
    return {
      message: `This repository is already project "${name}" (${path}).`,
      hint: `Change what is known of it with: orange project update ${name}`,
    };
  }
  return same === 'name'
    ? { message: `The name "${name}" is already taken by project ${path}.`, hint: rename }
    : { message: `Project "${name}" is already registered, at ${path}.`, hint: rename };
}

function describeTakenBranch({ branch, where, task }: FailureOf<'branch-in-use'>) {
  if (task !== undefined || where.startsWith('task ')) {
    return {
      message: `Branch "${branch}" is already used by ${task ?? where}.`,
      hint: 'Choose another branch name.',
    };
  }
  return {
    message: `Branch "${branch}" is already in use at ${where}.`,
    hint: 'Switch that checkout to another branch, or give the task another: orange task update TASK --branch NAME',
  };
}

function describeLongWait({ what, timeoutSeconds, task }: FailureOf<'waited-too-long'>) {
  const time = count(timeoutSeconds, 'second');
  if (task === undefined) {
    return {
      message: `${what} did not happen within ${time}.`,
      hint: 'Look at the daemon with: orange daemon status, and orange log',
    };
  }
  return {
    message: `${task.name} is still ${task.status} after ${time}; waited for ${anyOf(task.wanted)}.`,
    hint: `Wait longer with --timeout, or look at it with: orange task show ${task.name}`,
  };
}

function describeRejectedFile(failure: FailureOf<'file-rejected'>) {
  const [first] = failure.diagnostics;
  if (first === undefined) {
    return { message: 'The task file breaks a rule.', hint: 'See which: orange validate' };
  }
  const rest = failure.diagnostics.length - 1;
  const more = rest > 0 ? ` (and ${rest} more)` : '';
  return {
    message: `${first.file}:${first.line} ${first.code} ${first.message}${more}`,
    hint: first.fix === '' ? 'See all findings with: orange validate' : first.fix,
  };
}

const NOUNS: Readonly<Partial<Record<Named, string>>> = { 'file or task': 'file and no task' };

const PLACES: Readonly<Record<Named, string | null>> = {
  task: 'See all tasks with: orange task list --all',
  project: 'See all projects with: orange project list, register one with: orange project add PATH',
  workspace: 'See all worktrees with: orange workspace list',
  harness: 'See all harnesses with: orange harness list',
  salvage: 'See all saved work with: orange salvage list --all',
  window: 'The agent may have ended; start it with: orange task respawn',
  reservation: 'See what is held with: orange locks list',
  file: 'Check the path.',
  'file or task': 'Check the path, or see all tasks with: orange task list --all',
  'pull request': 'Look at it on GitHub; open another one with: orange pr create',
};

function quoted(value: string): string {
  if (value === '') return '';
  return value.length > LONGEST_QUOTE ? ` "${value.slice(0, LONGEST_QUOTE)}…"` : ` "${value}"`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function anyOf(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

const LONGEST_QUOTE = 80;
const SHOWN = 5;

export function some(names: readonly string[]): string {
  if (names.length === 0) return 'the ones in question';
  const rest = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
