import { setImmediate as aTurnLater } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Change } from '../../src/api/protocol.js';
import { Broadcaster } from '../../src/daemon/broadcaster.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { buildTask } from '../builders/task.js';
import { buildProject, momentAt } from '../builders/world.js';

function createRig() {
  const world = new LiveWorld();
  world.replaceProjects([buildProject()]);
  const sent: Change[] = [];
  let subscribers = 1;
  const broadcaster = new Broadcaster({
    world,
    supervisor: { watchTasks: () => {} },
    pool: { save: () => {}, saveSoon: () => {} },
    now: () => momentAt(),
    workspacePath: (workspace) => `/w/${workspace}`,
  });
  broadcaster.attach({
    hasSubscribers: () => subscribers > 0,
    broadcast: (change) => void sent.push(change),
  });
  /** All that is sent because of a task, as one. */
  const put = async (
    id: string,
    parts: Parameters<typeof buildTask>[0] = {},
  ): Promise<Partial<Change>> => {
    const before = sent.length;
    world.putTask(buildTask({ ...parts, fields: { id, branch: id, ...parts.fields } }));
    broadcaster.publish();
    await aTurnLater();
    return Object.assign({}, ...sent.slice(before));
  };
  return { put, sent, leave: () => (subscribers = 0), come: () => (subscribers = 1) };
}

it('the order of the queue is sent when it has changed, and only then', async () => {
  const { put } = createRig();
  expect((await put('one')).queue).toEqual(['one']);
  expect((await put('two', { extensions: { priority: 'high' } })).queue).toEqual(['two', 'one']);
  expect(await put('one', { fields: { summary: 'Other words' } })).not.toHaveProperty('queue');
  expect((await put('one', { extensions: { priority: 'critical' } })).queue).toEqual([
    'one',
    'two',
  ]);
  expect((await put('one', { fields: { status: 'planning' } })).queue).toEqual(['two']);
});

it('whoever subscribes after a while is told the queue with the first change', async () => {
  const { put, sent, leave, come } = createRig();
  await put('one');
  leave();
  await put('two');
  expect(sent.flatMap(({ tasks }) => tasks.map(({ fields }) => fields.id))).not.toContain('two');
  come();
  expect((await put('two', { fields: { summary: 'Other words' } })).queue).toEqual(['one', 'two']);
});
