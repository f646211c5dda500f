import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takePicture } from '../adapters/git/picture.js';
import { leaveWork } from './leave-work.js';
import { createRig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

it('F40 everything that a cancelled task left is restored byte for byte', async () => {
  await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
  const id = await rig.create('lost', 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  leaveWork(rig);
  const before = takePicture(rig, rig.workspace());
  await rig.must('task', 'cancel', id, '--yes');
  const ref = `refs/orange/salvage/${id}/1`;
  const listed = (await rig.must('salvage', 'list', '--task', id, '--json')).json<object[]>();
  expect(listed).toMatchObject([{ ref, project: 'shop', task: 'shop/lost', kind: 'work' }]);
  const back = join(rig.root, 'back');
  const restored = await rig.must('salvage', 'restore', id, '--into', back, '--json');
  expect(restored.json()).toEqual({ ref, path: back, branch: 'lost', head: before.head });
  expect(takePicture(rig, back)).toEqual(before);
  const again = await rig.orange('salvage', 'restore', id, '--into', back, '--json');
  expect(again.code).toBe(1);
  expect(again.json()).toMatchObject({ error: { code: 'restore-refused' } });
  await rig.waitForEvent(id, ({ type }) => type === 'salvage.restored');
  await rig.must('salvage', 'drop', `${id}/1`, '--yes');
  expect((await rig.must('salvage', 'list', '--all', '--json')).json()).toEqual([]);
});
