import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takePicture } from '../adapters/git/picture.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

/** Commits, staged, unstaged and untracked work in the worktree of an agent that rests. */
function leaveWork(rig: Rig): void {
  const at = (path: string) => join(rig.workspace(), path);
  writeFileSync(at('kept.txt'), 'committed\n');
  rig.git(rig.workspace(), 'add', 'kept.txt');
  rig.git(rig.workspace(), 'commit', '-qm', 'work');
  writeFileSync(at('staged.txt'), 'staged\n');
  rig.git(rig.workspace(), 'add', 'staged.txt');
  writeFileSync(at('staged.txt'), 'and changed\r\n');
  writeFileSync(at('kept.txt'), 'unstaged');
  rmSync(at('README.md'));
  mkdirSync(at('deep'));
  writeFileSync(at('deep/binary "ä"\n'), Buffer.from([0, 255, 13, 10, 128]));
  writeFileSync(at('run.sh'), '#!/bin/sh\n');
  chmodSync(at('run.sh'), 0o755);
  symlinkSync('nowhere', at('link'));
}

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
