import { expect, it } from 'vitest';
import { attemptEffect } from '../../src/daemon/attempt-effect.js';
import { TASK_ID } from '../builders/task.js';

it('F77 a bug in one effect is the failure of that task alone, with its stack in the log', async () => {
  const written: unknown[] = [];
  const seen = await attemptEffect(
    {
      log: { write: (record) => written.push(record) },
      execute: () => Promise.reject(new TypeError('nothing is undefined')),
    },
    { kind: 'rename-branch', taskId: TASK_ID, from: 'a', to: 'b' },
  );
  expect(seen).toMatchObject({
    kind: 'rename-failed',
    taskId: TASK_ID,
    failure: { kind: 'internal', message: expect.stringContaining('nothing is undefined') },
  });
  expect(written).toEqual([
    {
      event: 'effect.rename-branch',
      level: 'error',
      task: TASK_ID,
      bug: expect.stringContaining('attempt-effect.test.ts'),
    },
  ]);
});
