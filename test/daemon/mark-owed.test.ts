import { expect, it } from 'vitest';
import type { StartAgent } from '../../src/domain/effect.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { markOwed } from '../../src/daemon/load-world.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';

const START: StartAgent = {
  kind: 'start-agent',
  taskId: TASK_ID,
  role: 'worker',
  window: 'worker',
  launchId: 'worker-1',
  workspace: 'shop--1',
  session: 'shop/dark-mode',
  needsBinding: true,
  isResuming: false,
  isOpening: true,
  message: null,
};

it('I2 a status that an agent wrote before its start was recorded is a claim, not the status', () => {
  const world = new LiveWorld();
  world.putTask({ ...buildTaskIn('clarification'), cameFrom: null });
  markOwed(world, START);
  const task = world.tasks.get(TASK_ID);
  expect(task?.fields.status).toBe('pending');
  expect(task?.claims?.fields.status).toBe('clarification');
  expect(task?.activity).toBe('starting');
});

it('a status that the history knows stays, and so does one that the task was made with', () => {
  const world = new LiveWorld();
  world.putTask({ ...buildTaskIn('planning'), cameFrom: 'pending' });
  markOwed(world, START);
  expect(world.tasks.get(TASK_ID)?.fields.status).toBe('planning');
  const { isOpening: _opening, ...later } = START;
  world.putTask({ ...buildTaskIn('working'), cameFrom: null });
  markOwed(world, later);
  expect(world.tasks.get(TASK_ID)?.fields.status).toBe('working');
});
