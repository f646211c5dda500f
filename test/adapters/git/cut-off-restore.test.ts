import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints } from '../../../src/domain/failpoint.js';
import type { FailpointName } from '../../../src/domain/failpoint-names.js';
import type { RestorePlace } from '../../../src/domain/salvage.js';
import { failure, GitRig, TASK, value } from './git-rig.js';
import { takePicture, type Picture } from './picture.js';

const REF = `refs/orange/salvage/${TASK}/1`;
const BEFORE_WHOLE = [
  'restore.added',
  'restore.filled',
  'restore.files-back',
  'restore.branch-taken',
] as const;

afterEach(() => armFailpoints(() => undefined));

/** Saved work, and a picture of what it was. */
async function saved(rig: GitRig): Promise<Picture> {
  rig.withCommit();
  await rig.bind();
  rig.commit(rig.worktree, { 'c.txt': 'committed\n' });
  rig.write(join(rig.worktree, 'staged'), 'staged\n');
  rig.git(rig.worktree, 'add', 'staged');
  rig.write(join(rig.worktree, 'a.txt'), 'changed\n');
  rig.write(join(rig.worktree, 'new/file'), 'untracked\n');
  rmSync(join(rig.worktree, 'dir/b.txt'));
  const picture = takePicture(rig, rig.worktree);
  expect(value(await rig.release()).salvageRef).toBe(REF);
  return picture;
}

/** Restores as a daemon that has just been started would. */
async function restore(rig: GitRig, place: RestorePlace) {
  const { salvage } = rig.createRepositories();
  return salvage.restore({ repository: rig.repository, ref: REF, place });
}

/** Restores, and stops for good at a failpoint, as a daemon that is killed there. */
async function cutOff(rig: GitRig, place: RestorePlace, at: FailpointName): Promise<void> {
  armFailpoints((name) => {
    if (name === at) throw new Error(`killed at ${at}`);
  });
  await expect(restore(rig, place)).rejects.toThrow(`killed at ${at}`);
  armFailpoints(() => undefined);
}

function inNew(rig: GitRig): RestorePlace & { readonly path: string } {
  return { kind: 'new-worktree', path: join(rig.root, 'back'), branch: 'feat' };
}

function locksOf(rig: GitRig): readonly string[] {
  const listed = rig.git(rig.repository, 'worktree', 'list', '--porcelain').split('\n');
  return listed.filter((line) => line.startsWith('locked'));
}

it('F40 a restore that is cut off is marked as half done, loses nothing, and can be repeated', async () => {
  await using rig = new GitRig();
  const before = await saved(rig);
  const place = inNew(rig);
  for (const at of BEFORE_WHOLE) {
    await cutOff(rig, place, at);
    expect([at, locksOf(rig)]).toEqual([at, ['locked orange restores saved work here']]);
    expect(rig.salvageRefs()).toEqual([REF]);
    // That its directory goes is no obstacle either.
    if (at === 'restore.added') rmSync(place.path, { recursive: true });
  }
  await cutOff(rig, place, 'restore.done');
  expect(takePicture(rig, place.path)).toEqual(before);
  expect(rig.git(place.path, 'branch', '--show-current')).toBe('feat');
  expect(locksOf(rig)).toEqual([]);
  expect(failure(await restore(rig, place))).toMatchObject({ reason: 'place-taken' });
});

it('F40 what somebody did in a half-restored worktree is not taken away', async () => {
  await using rig = new GitRig();
  const before = await saved(rig);
  const place = inNew(rig);
  await cutOff(rig, place, 'restore.filled');
  for (const [name, mine] of [
    ['mine', 'new\n'],
    ['a.txt', 'mine\n'],
  ] as const) {
    const file = join(place.path, name);
    rig.write(file, mine);
    const refused = failure(await restore(rig, place));
    expect(refused).toMatchObject({ kind: 'restore-refused', reason: 'half-restored' });
    expect(rig.read(file)).toBe(mine);
    rmSync(file);
  }
  value(await restore(rig, place));
  expect(takePicture(rig, place.path)).toEqual(before);
});

it('F40 a restore in the task’s own worktree that is cut off can be repeated there', async () => {
  await using rig = new GitRig();
  const before = await saved(rig);
  await rig.bind();
  const place = { kind: 'worktree', path: rig.worktree } as const;
  await cutOff(rig, place, 'restore.filled');
  expect(value(await restore(rig, place))).toMatchObject({ branch: 'feat' });
  expect(takePicture(rig, rig.worktree)).toEqual(before);
  rig.write(join(rig.worktree, 'a.txt'), 'mine\n');
  expect(failure(await restore(rig, place))).toMatchObject({ reason: 'not-clean' });
  expect(rig.read(rig.worktree, 'a.txt')).toBe('mine\n');
});

type Converted = {
  readonly kind: string;
  readonly attribute: string;
  readonly text: string;
  /** What somebody else may make of it. */
  readonly mine: string;
};

const IDENT: Converted = {
  kind: 'ident',
  attribute: 'ident',
  text: '$Id: mine $\nchanged\n',
  mine: '$Id: other $\nchanged\n',
};

/** Attributes under which a file is not the same in the worktree as in a commit. */
const CONVERTED: readonly Converted[] = [
  IDENT,
  { kind: 'CRLF', attribute: 'text eol=crlf', text: 'one\ntwo\r\n', mine: 'one\ntwo\n' },
  { kind: 'LF', attribute: 'text eol=lf', text: 'one\r\ntwo\n', mine: 'one\ntwo\n' },
  { kind: 'a filter', attribute: 'filter=turn', text: 'abc\n', mine: 'abd\n' },
  {
    kind: 'another encoding',
    attribute: 'working-tree-encoding=UTF-16LE',
    text: 'a\0b\0\n\0',
    mine: 'a\0\n\0',
  },
];

/** Work on a file with such an attribute. */
async function savedConverted(rig: GitRig, { attribute, text }: Converted): Promise<Picture> {
  rig.git(rig.root, 'config', '--global', 'filter.turn.clean', 'tr a-m n-z');
  rig.git(rig.root, 'config', '--global', 'filter.turn.smudge', 'tr n-z a-m');
  rig.withCommit();
  rig.commit(rig.repository, { '.gitattributes': `a.txt ${attribute}\n`, 'b.txt': 'b\n' });
  await rig.bind();
  rig.write(join(rig.worktree, 'a.txt'), text);
  const picture = takePicture(rig, rig.worktree);
  expect(value(await rig.release()).salvageRef).toBe(REF);
  return picture;
}

describe.each(CONVERTED)('under $kind', (converted) => {
  it('F40 a restore that is cut off can be repeated', async () => {
    await using rig = new GitRig();
    const before = await savedConverted(rig, converted);
    const place = inNew(rig);
    for (const at of BEFORE_WHOLE) await cutOff(rig, place, at);
    await cutOff(rig, place, 'restore.filled');
    // As it is left while files are given their own bytes.
    rig.write(join(place.path, '.orange-restoring/files/0'), 'half');
    value(await restore(rig, place));
    expect(takePicture(rig, place.path)).toEqual(before);
    await rig.bind({ branch: 'mine' });
    const own = { kind: 'worktree', path: rig.worktree } as const;
    await cutOff(rig, own, 'restore.filled');
    rig.write(join(own.path, '.orange-restoring/git/index.lock'), '');
    value(await restore(rig, own));
    expect(takePicture(rig, own.path)).toEqual(before);
  });

  it('F40 what somebody made of a half-restored file is not taken away', async () => {
    await using rig = new GitRig();
    await savedConverted(rig, converted);
    const place = inNew(rig);
    await cutOff(rig, place, 'restore.filled');
    const { mine } = converted;
    rig.write(join(place.path, 'a.txt'), mine);
    expect(failure(await restore(rig, place))).toMatchObject({ reason: 'half-restored' });
    expect(rig.read(place.path, 'a.txt')).toBe(mine);
  });
});

it('F40 that somebody made a half-restored file a program is not taken away either', async () => {
  await using rig = new GitRig();
  await savedConverted(rig, IDENT);
  const place = inNew(rig);
  await cutOff(rig, place, 'restore.filled');
  chmodSync(join(place.path, 'a.txt'), 0o755);
  expect(failure(await restore(rig, place))).toMatchObject({ reason: 'half-restored' });
});
