import { cleanText } from '../domain/clean-text.js';
import { NOTHING, type Decision } from '../domain/decision.js';
import type { Failure } from '../domain/failure.js';
import type { Moment, Observation } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';
import { checkEvents } from './check-events.js';
import { makeMove } from './make-move.js';
import { decideUpdate } from './update-task.js';
import { settingsFor } from './world-queries.js';

type Seen<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

/** The work is in the base: the task is done. */
export function settleMerged(
  world: World,
  task: TaskState,
  seen: Seen<'merged'>,
  moment: Moment,
): Decision {
  if (task.activity !== 'merging') return NOTHING;
  const { merge } = settingsFor(world, task.fields.project);
  const merged = { type: 'task.merged', commit: seen.commit, strategy: seen.strategy };
  const order = {
    to: 'done',
    actor: seen.askedBy,
    reason: seen.askedBy === 'daemon' ? 'the merge gate is open' : '',
    before: [...checkEvents('merge', seen.checks), merged],
    deleteBranch: merge.deleteBranch,
  } as const;
  return afterMerging(makeMove(world, { ...task, activity: null }, order, moment));
}

/**
 * A conflict is the worker's to resolve: the task goes back with the files. Anything else leaves the
 * task where it is, with the reason.
 */
export function settleMergeFailed(
  world: World,
  task: TaskState,
  seen: Seen<'merge-failed'>,
  moment: Moment,
): Decision {
  if (task.activity !== 'merging') return NOTHING;
  const { failure } = seen;
  if (failure.kind === 'merge-conflict' && task.fields.status === 'reviewing') {
    const decision = sendBack(world, task, { ...seen, failure }, moment);
    return { ...decision, failure };
  }
  const decision = decideUpdate(task, {
    events: checkEvents('merge', seen.checks),
    runtime: { activity: null, mergeTrouble: seen.reason },
  });
  return { ...decision, failure };
}

type Conflict = Extract<Failure, { kind: 'merge-conflict' }>;

function sendBack(
  world: World,
  task: TaskState,
  { failure, askedBy }: Seen<'merge-failed'> & { readonly failure: Conflict },
  moment: Moment,
): Decision {
  const { base } = failure;
  const onto = failure.onto ?? base;
  const files = failure.files.slice(0, MAX_FILES).map(oneLine);
  const more = failure.files.length - files.length;
  const list = [...files, ...(more > 0 ? [`and ${more} more`] : [])];
  const text = [
    'Verdict: FAIL',
    '',
    `The branch conflicts with ${base} (${onto.slice(0, 12)}) in:`,
    '',
    ...list.map((file) => `- ${file}`),
    '',
  ].join('\n');
  const order = {
    to: 'working',
    actor: askedBy,
    reason: 'merge conflict',
    facts: { files },
    sections: [{ kind: 'set', section: 'Review', text }],
    message: { kind: 'merge-conflict', base, onto, files: list },
  } as const;
  return afterMerging(makeMove(world, { ...task, activity: null }, order, moment));
}

const MAX_FILES = 50;

/** A file's name may hold anything; on a line of its own it must stay one line. */
function oneLine(name: string): string {
  return cleanText(name).replaceAll(/\s+/g, ' ');
}

function afterMerging(decision: Decision): Decision {
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? { ...change, runtime: { activity: null, ...change.runtime } }
        : change,
    ),
  };
}
