import { describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../../src/adapters/disk-files.js';
import { createRepositories } from '../../../src/adapters/git/repositories.js';
import { GitRig } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

/** Repositories with somebody in every directory until they leave. */
function givenOccupant(rig: GitRig) {
  let occupants = [{ pid: 4242, command: 'bash' }];
  let now = 0;
  const repositories = createRepositories({
    env: rig.env,
    files: createDiskFiles(),
    // Each look at the clock takes a while: the wait for somebody who passes by is over soon.
    clock: { nowMs: () => Date.now(), monotonicMs: () => (now += 400) },
    findOccupants: () => success(occupants),
  });
  const leave = (): void => {
    occupants = [];
  };
  return { repositories, leave };
}

describe('a worktree that somebody works in', () => {
  it('F41 is not released before they leave, but its work is safe at once', async () => {
    await using rig = new GitRig().withCommit();
    const { repositories, leave } = givenOccupant(rig);
    await rig.bind();
    rig.write(`${rig.worktree}/draft.txt`, 'half done\n');
    const request = rig.bindRequest();
    expect(await repositories.release(request)).toEqual({
      ok: false,
      failure: { kind: 'worktree-occupied', worktree: rig.worktree, pid: 4242, command: 'bash' },
    });
    expect(rig.read(`${rig.worktree}/draft.txt`)).toBe('half done\n');
    const [ref = ''] = rig.salvageRefs();
    expect(rig.stored(ref, 'draft.txt').toString()).toBe('half done\n');
    leave();
    expect(await repositories.release(request)).toMatchObject({ ok: true });
    expect(rig.exists(`${rig.worktree}/draft.txt`)).toBe(false);
  });

  it('F41 is not bound to another task before they leave', async () => {
    await using rig = new GitRig().withCommit();
    const { repositories, leave } = givenOccupant(rig);
    const refused = await repositories.bind(rig.bindRequest());
    expect(refused).toMatchObject({ failure: { kind: 'worktree-occupied', pid: 4242 } });
    leave();
    expect(await repositories.bind(rig.bindRequest())).toMatchObject({ ok: true });
  });
});
