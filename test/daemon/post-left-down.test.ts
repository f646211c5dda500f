import { describe, expect, it } from 'vitest';
import { postLeftDown } from '../../src/daemon/post-left-down.js';
import type { Interruption } from '../../src/domain/session.js';
import type { TaskState } from '../../src/domain/world.js';
import { buildTaskIn, endedAgent, type TaskParts } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const down = (interruptedBy?: Interruption) => {
  const by = interruptedBy === undefined ? {} : { interruptedBy };
  const exit = { status: 1, signal: null, hasScreen: false, ...by };
  return endedAgent('worker', { exit, isNoted: true });
};

function posted(task: TaskState): readonly string[] {
  const causes: string[] = [];
  postLeftDown(buildWorld({ tasks: [task] }), { post: (_, cause) => causes.push(cause) });
  return causes;
}

describe('a daemon that starts', () => {
  it.each<readonly [string, TaskParts, readonly string[]]>([
    ['crashed', { worker: down() }, ['crashed']],
    ['was interrupted', { worker: down('server') }, ['interrupted']],
    ['is started again', { worker: down(), respawnAtMs: 5 }, []],
    ['lives', {}, []],
  ])('sees to it that a person is told of an agent that stays down: %s', (_, parts, causes) => {
    expect(posted(buildTaskIn('working', parts))).toEqual(causes);
  });

  it('says nothing of one that nobody needs', () => {
    expect(posted(buildTaskIn('reviewing', { worker: down() }))).toEqual([]);
  });
});
