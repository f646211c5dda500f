import { describeNeed } from '../domain/describe-need.js';
import { blockersOf } from '../domain/extensions.js';
import type { Status } from '../domain/status.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import type { QueueOutlook } from './queue-outlook.js';

/** One reason for each blocker that is not done; one for all of them when the task waits for itself. */
export function explainBlockers(
  world: World,
  task: TaskState,
  outlook: QueueOutlook,
): readonly WaitReason[] {
  const blockers = blockersOf(task.extensions);
  const cycle = blockers.length === 0 ? null : outlook.cycleOf(task.fields.id);
  if (cycle !== null) return [describeNeed({ kind: 'cycle', path: cycle }, task.fields)];
  return blockers.flatMap((id): readonly WaitReason[] => {
    const status = statusOf(world, id);
    if (status === 'done') return [];
    if (isDeadEnd(status)) {
      const need = { kind: 'dead-end', blocker: id, isCancelled: status !== undefined } as const;
      return [describeNeed(need, task.fields)];
    }
    return [
      { code: 'blocked', message: `blocked by ${id} (${status})${describeChain(world, id)}` },
    ];
  });
}

const LONGEST_CHAIN = 4;

/** What a blocker itself waits for, and that in turn, as far as it is worth telling. */
function describeChain(world: World, from: string): string {
  const seen = new Set([from]);
  let words = '';
  for (
    let at = nextInChain(world, from);
    at !== null && !seen.has(at);
    at = nextInChain(world, at)
  ) {
    if (seen.size === LONGEST_CHAIN) return `${words}, and so on`;
    seen.add(at);
    const status = statusOf(world, at);
    if (status === undefined) return `${words}, which waits for ${at}, which does not exist`;
    words += `, which waits for ${at} (${status})`;
  }
  return words;
}

function nextInChain(world: World, id: string): string | null {
  const task = world.tasks.get(id);
  if (task?.fields.status !== 'pending') return null;
  return blockersOf(task.extensions).find((each) => statusOf(world, each) !== 'done') ?? null;
}

function isDeadEnd(status: Status | undefined): boolean {
  return status === undefined || status === 'cancelled';
}

function statusOf(world: World, id: string): Status | undefined {
  return world.tasks.get(id)?.fields.status;
}
