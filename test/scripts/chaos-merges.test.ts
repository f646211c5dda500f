import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Violation = { readonly key: string; readonly text: string };
type Place = {
  readonly repository: string;
  readonly git: (directory: string, ...args: readonly string[]) => Promise<string>;
  readonly base: { tip: string | null };
};
type Oracle = {
  readonly checkMerges: (place: Place, tasks: readonly object[]) => Promise<readonly Violation[]>;
};
type Places = { readonly makePlace: (how: object) => Promise<Place> };
type Foreign = { readonly checkForeign: (place: Place) => Promise<readonly Violation[]> };

const task = (id: string, status: string, ...events: readonly object[]) => ({
  id,
  fields: { status },
  events,
});
const merged = (commit: string) => ({ type: 'task.merged', commit });

/** What is wrong where `main` has these commits, newest first, each with the tasks it is of. */
async function wrongWith(
  line: readonly string[],
  tasks: readonly object[],
  base: { tip: string | null } = { tip: null },
  pushed = 'a',
): Promise<readonly string[]> {
  const { checkMerges } = await loadScript<Oracle>('../chaos/oracle/check-merges');
  const git = async (directory: string) =>
    directory === '/hub' ? `${pushed}\n` : `${line.join('\n')}\n`;
  const place = { repository: '/shop', hub: '/hub', git, base };
  return (await checkMerges(place, tasks)).map(({ key }) => key);
}

describe('the oracle’s look at merges', () => {
  it('is content where each merge that was recorded is in the base once', async () => {
    const tasks = [task('one', 'done', merged('b')), task('two', 'reviewing')];
    expect(await wrongWith(['b one', 'a '], tasks)).toEqual([]);
    expect(await wrongWith(['a '], [task('one', 'done', { type: 'pr.merged' })])).toEqual([]);
    expect(await wrongWith(['b one', 'a '], [task('one', 'cancelled')])).toEqual([]);
  });

  it('I1 misses a merge that was recorded and moved no base', async () => {
    expect(await wrongWith(['a '], [task('one', 'done', merged('b'))])).toEqual(['I1 one']);
  });

  it('I1 misses the name of the task on its merge', async () => {
    expect(await wrongWith(['b ', 'a '], [task('one', 'done', merged('b'))])).toEqual(['I1 one']);
    const tasks = [task('one', 'done', merged('b'))];
    expect(await wrongWith(['c one', 'b ', 'a '], tasks)).toEqual(['I1 one']);
  });

  it('I1 sees a task that is done without a merge, and a merge that was not recorded', async () => {
    expect(await wrongWith(['a '], [task('one', 'done')])).toEqual(['I1 one']);
    expect(await wrongWith(['b one', 'a '], [task('one', 'reviewing')])).toEqual(['I1 one']);
  });

  it('I5 sees a task that was merged twice', async () => {
    const tasks = [task('one', 'done', merged('c'))];
    expect(await wrongWith(['c one', 'b one', 'a '], tasks)).toEqual(['I5 one']);
  });

  it('I7 sees that the base went back, and says so until it has what it had', async () => {
    const base = { tip: null };
    expect(await wrongWith(['b ', 'a '], [], base)).toEqual([]);
    expect(await wrongWith(['c ', 'b ', 'a '], [], base)).toEqual([]);
    expect(await wrongWith(['b ', 'a '], [], base)).toEqual(['I7 main']);
    expect(await wrongWith(['d ', 'b ', 'a '], [], base)).toEqual(['I7 main']);
    expect(await wrongWith(['d ', 'c ', 'b ', 'a '], [], base)).toEqual([]);
  });
});

it('I7 sees that something was pushed which the base does not have', async () => {
  expect(await wrongWith(['b ', 'a '], [], { tip: null }, 'b')).toEqual([]);
  expect(await wrongWith(['b ', 'a '], [], { tip: null }, 'c')).toEqual(['I7 pushed']);
});

describe('the user’s own checkout of the repository', () => {
  let place: Place;
  const wrong = async () => {
    const { checkForeign } = await loadScript<Foreign>('../chaos/oracle/check-foreign');
    return (await checkForeign(place)).map(({ key }) => key);
  };
  const merge = async (message: string): Promise<string> => {
    const { repository, git } = place;
    await git(repository, 'commit', '--quiet', '--allow-empty', '--message', message);
    return (await git(repository, 'rev-parse', 'HEAD')).trim();
  };

  beforeAll(async () => {
    const { makePlace } = await loadScript<Places>('../chaos/place');
    place = await makePlace({ program: 'none', secret: 'hush' });
  });
  afterAll(async () => {
    const { endPlace } = await loadScript<{ endPlace: (place: Place) => Promise<void> }>(
      '../chaos/end-place',
    );
    await endPlace(place);
  });

  it('may go forward with a merge, which is found by its commit and its trailer', async () => {
    const { checkMerges } = await loadScript<Oracle>('../chaos/oracle/check-merges');
    expect(await checkMerges(place, [])).toEqual([]);
    const commit = await merge('Do it\n\nWell.\n\nOrange-Task: one');
    expect(await wrong()).toEqual([]);
    expect(await checkMerges(place, [task('one', 'done', merged(commit))])).toEqual([]);
    await place.git(place.repository, 'reset', '--quiet', '--hard', 'HEAD~1');
    const lost = await checkMerges(place, [task('one', 'done', merged(commit))]);
    expect(lost.map(({ key }) => key)).toEqual(['I7 main', 'I1 one']);
  });

  it('G13 I7 keeps what git does not keep, its branch, and nothing else', async () => {
    const { repository, git } = place;
    for (const [name, text] of [
      ['notes.txt', 'untracked\n'],
      ['cache/mine', 'ignored\n'],
    ] as const) {
      writeFileSync(join(repository, name), 'changed');
      expect(await wrong()).toEqual(['I7 checkout']);
      rmSync(join(repository, name));
      expect(await wrong()).toEqual(['I7 checkout']);
      writeFileSync(join(repository, name), text);
      expect(await wrong()).toEqual([]);
    }
    await git(repository, 'switch', '--quiet', '--detach');
    expect(await wrong()).toEqual(['I7 checkout']);
    await git(repository, 'switch', '--quiet', 'main');
    writeFileSync(join(repository, 'left.txt'), '');
    expect(await wrong()).toEqual(['I7 checkout']);
    rmSync(join(repository, 'left.txt'));
    writeFileSync(join(repository, 'README.md'), 'changed');
    expect(await wrong()).toEqual(['I7 checkout']);
  });
});
