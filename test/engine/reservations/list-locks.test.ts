import { expect, it } from 'vitest';
import { checkLocks } from '../../../src/engine/reservations/list-locks.js';
import { buildTaskIn, TASK_ID } from '../../builders/task.js';
import { buildWorld } from '../../builders/world.js';

it('who asks for paths is told in which words the holder has them', () => {
  const touching = ['src/auth/', 'docs/*.md', 'readme'];
  const world = buildWorld({ tasks: [buildTaskIn('working', { artifacts: { touching } })] });
  const paths = ['src/auth/login.ts', 'docs/intro.md', 'readme', 'elsewhere/'];
  expect(checkLocks(world, { project: 'shop', taskId: null, paths })).toEqual([
    {
      id: TASK_ID,
      task_id: TASK_ID,
      holder: expect.stringContaining('shop/'),
      paths: ['src/auth/login.ts', 'docs/intro.md', 'readme'],
      held: ['src/auth', 'docs/*.md', 'readme'],
    },
  ]);
});
