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
  const put = (id: string, parts: Parameters<typeof buildTask>[0] = {}): Change | undefined => {
    world.putTask(buildTask({ ...parts, fields: { id, branch: id, ...parts.fields } }));
    broadcaster.publish();
    return sent.at(-1);
  };
  return { put, sent, leave: () => (subscribers = 0), come: () => (subscribers = 1) };
}

it('the order of the queue is sent when it has changed, and only then', () => {
  const { put } = createRig();
  expect(put('one')?.queue).toEqual(['one']);
  expect(put('two', { extensions: { priority: 'high' } })?.queue).toEqual(['two', 'one']);
  expect(put('one', { fields: { summary: 'Other words' } })).not.toHaveProperty('queue');
  expect(put('one', { extensions: { priority: 'critical' } })?.queue).toEqual(['one', 'two']);
  expect(put('one', { fields: { status: 'planning' } })?.queue).toEqual(['two']);
});

it('whoever subscribes after a while is told the queue with the first change', () => {
  const { put, sent, leave, come } = createRig();
  put('one');
  leave();
  put('two');
  expect(sent).toHaveLength(1);
  come();
  expect(put('two', { fields: { summary: 'Other words' } })?.queue).toEqual(['one', 'two']);
});
