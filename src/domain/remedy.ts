import { nameForCommand } from './describe-need.js';
import { blockersOf, holdOf, NOT_SPAWNED } from './extensions.js';
import type { TaskRecord } from './task.js';
import type { WaitReason } from './task-view.js';

type Waiting = Pick<TaskRecord, 'fields' | 'extensions'>;

/**
 * The command that helps a pending task on, or null. Unlike `settle` it is also there where the
 * task waits for nobody: a hold is lifted by a command, yet it is in no inbox.
 */
export function remedyFor({ code, settle }: WaitReason, task: Waiting): string | null {
  return settle ?? REMEDIES[code]?.(nameForCommand(task.fields), task) ?? null;
}

const REMEDIES: Readonly<Record<string, (name: string, task: Waiting) => string>> = {
  blocked: unblock,
  'dead-end': unblock,
  cycle: unblock,
  held: (name, { extensions }) =>
    `orange task ${holdOf(extensions) === NOT_SPAWNED ? 'spawn' : 'release'} ${name}`,
  backlog: (name) => `orange task update ${name} --queue active`,
  'start-gate': (name) => `orange approve ${name}`,
  'pool-full': (_name, { fields }) => `orange project update ${fields.project} --pool-size N`,
  'harness-not-installed': (name) => `orange task update ${name} --harness NAME`,
  'project-missing': () => 'orange project add PATH',
  reserved: () => 'orange locks list',
  'daemon-not-running': () => 'orange daemon start',
};

/** Without a name, all blockers go; which one is meant is the person's to say where there are several. */
function unblock(name: string, { extensions }: Waiting): string {
  const which = blockersOf(extensions).length === 1 ? '' : ' BLOCKER';
  return `orange task unblock ${name}${which}`;
}

/** A remedy where the message does not name a command already. */
export function untoldRemedy(reason: WaitReason, task: Waiting): string | null {
  return /\borange \w/u.test(reason.message) ? null : remedyFor(reason, task);
}
