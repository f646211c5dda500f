import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createDiskFiles } from '../../../src/adapters/disk-files.js';
import { createRepositories } from '../../../src/adapters/git/repositories.js';
import { armFailpoints } from '../../../src/domain/failpoint.js';
import type { FailpointName } from '../../../src/domain/failpoint-names.js';
import type { Result } from '../../../src/domain/result.js';
import type { Repositories } from '../../../src/ports.js';
import { GitRig, value } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

afterEach(() => armFailpoints(() => undefined));

// Some hundred calls of git: seconds where nothing else runs.
const LIMIT_MS = 200_000;

/** Work of one task, with one kind of dirt in it. */
type Case = {
  readonly rig: GitRig;
  readonly worktree: string;
  readonly branch: string;
  readonly taskId: string;
  /** Text that is written nowhere else. */
  readonly precious: (what?: string) => string;
};

const OCCUPIED = 'somebody at work';

/** Every kind of dirt that work can be in when its worktree goes; each leaves precious text. */
const DIRT: Readonly<Record<string, (each: Case) => void>> = {
  uncommitted: ({ rig, worktree, precious }) => rig.write(join(worktree, 'a.txt'), precious()),
  staged: ({ rig, worktree, precious }) => {
    rig.write(join(worktree, 'a.txt'), precious('staged'));
    rig.git(worktree, 'add', 'a.txt');
    rig.write(join(worktree, 'a.txt'), precious('over it'));
  },
  untracked: ({ rig, worktree, precious }) => rig.write(join(worktree, 'new/file'), precious()),
  ignored: ({ rig, worktree, precious }) => rig.write(join(worktree, 'ignored/file'), precious()),
  stash: ({ rig, worktree, precious }) => {
    rig.write(join(worktree, 'a.txt'), precious());
    rig.git(worktree, 'stash', '-q');
  },
  detached: ({ rig, worktree, precious }) => {
    rig.git(worktree, 'checkout', '-q', '--detach');
    rig.commit(worktree, { n: precious() });
  },
  unpushed: ({ rig, worktree, precious }) => void rig.commit(worktree, { n: precious() }),
  'nested repository': ({ rig, worktree, precious }) => {
    rig.git(worktree, 'init', '-q', 'lib');
    rig.commit(join(worktree, 'lib'), { in: precious('committed') });
    rig.write(join(worktree, 'lib/new'), precious('new'));
  },
  'dirty submodule': ({ rig, worktree, precious }) => {
    rig.git(worktree, 'submodule', '--quiet', 'add', rig.repository, 'sub');
    rig.git(worktree, 'commit', '-qm', 'add a submodule');
    rig.write(join(worktree, 'sub/a.txt'), precious());
  },
  'merge under way': ({ rig, worktree, precious }) => {
    rig.commit(worktree, { 'a.txt': precious('ours') });
    rig.tryGit(worktree, 'merge', 'conflicting');
    rig.write(join(worktree, 'a.txt'), precious('half merged'));
  },
  'stale lock': ({ rig, worktree, precious }) => {
    rig.write(join(worktree, 'a.txt'), precious());
    const lock = rig.git(worktree, 'rev-parse', '--git-path', 'index.lock');
    rig.write(lock, '');
    utimesSync(lock, 1, 1);
  },
  [OCCUPIED]: ({ rig, worktree, precious }) => rig.write(join(worktree, 'a'), precious()),
};

const KILLED_AT: readonly FailpointName[] = [
  'release.before-salvage',
  'salvage.snapshot-taken',
  'salvage.before-ref',
  'release.salvaged',
  'release.before-detach',
  'release.before-clean',
  'release.before-reset',
  'release.before-verify',
];

/** Repositories of a daemon; the next one has just been started and knows nothing. */
function open(rig: GitRig, kind: string, which: 'first' | 'next' = 'first'): Repositories {
  if (kind !== OCCUPIED) return which === 'first' ? rig.repositories : rig.createRepositories();
  let ticks = 0;
  return createRepositories({
    env: rig.env,
    files: createDiskFiles(),
    // Each look at the clock takes a while: the wait for somebody who passes by is over soon.
    clock: { nowMs: () => Date.now(), monotonicMs: () => (ticks += 400) },
    findOccupants: () => success([{ pid: 4242, command: 'bash' }]),
  });
}

function release(repositories: Repositories, { rig, worktree, taskId }: Case) {
  const { repository } = rig;
  return repositories.release({ repository, worktree, defaultBranch: 'main', taskId });
}

type Ending = (kind: string, each: Case) => Promise<Result<unknown>>;

/** How a worktree comes to an end, or to another task. */
const ENDINGS: readonly (readonly [string, Ending])[] = [
  [
    'given back by a task that is done, and its branch removed',
    async (kind, each) => {
      const { rig, branch, taskId } = each;
      const repositories = open(rig, kind);
      const released = await release(repositories, each);
      if (!released.ok) return released;
      return repositories.deleteMergedBranch({ repository: rig.repository, branch, taskId });
    },
  ],
  [
    'given back by a task that is cancelled, which keeps its branch',
    async (kind, each) => {
      const { rig, branch } = each;
      const head = rig.git(rig.repository, 'rev-parse', branch);
      const released = await release(open(rig, kind), each);
      expect(rig.git(rig.repository, 'rev-parse', branch)).toBe(head);
      return released;
    },
  ],
  [
    'left behind by a crash and given to another task',
    async (kind, { rig, worktree, branch }) =>
      open(rig, kind).bind(
        rig.bindRequest({ worktree, branch: `after-${branch}`, taskId: 'next' }),
      ),
  ],
  [
    'given back by a daemon that is killed, and then by the next',
    async (kind, each) => {
      const at = KILLED_AT[Object.keys(DIRT).indexOf(kind) % KILLED_AT.length];
      let isKilled = false;
      armFailpoints((name) => {
        if (name !== at) return;
        isKilled = true;
        throw new Error('killed');
      });
      await release(open(each.rig, kind), each).catch(() => undefined);
      armFailpoints(() => undefined);
      expect([kind, isKilled]).toEqual([kind, true]);
      return release(open(each.rig, kind, 'next'), each);
    },
  ],
];

/** A repository with one worktree that goes from task to task; gives them one by one. */
async function* tasksOf(rig: GitRig, ending: string, texts: string[]) {
  rig.git(rig.repository, 'checkout', '-qb', 'conflicting');
  rig.commit(rig.repository, { 'a.txt': 'theirs\n' });
  rig.git(rig.repository, 'checkout', '-q', 'main');
  for (const [at, [kind, soil]] of Object.entries(DIRT).entries()) {
    const precious = (what = kind): string => {
      texts.push(`${what} of ${kind}, ${ending}\n`);
      return texts.at(-1) ?? '';
    };
    const place = { worktree: rig.worktree, branch: `feat-${at}`, taskId: `task${at}` };
    value(await rig.repositories.bind(rig.bindRequest(place)));
    const each: Case = { rig, ...place, precious };
    soil(each);
    yield [kind, each] as const;
  }
}

/** Those texts that neither a ref leads to nor a file in the worktree has. */
function findLost(rig: GitRig, texts: readonly string[]): readonly string[] {
  const objects = rig.git(rig.repository, 'rev-list', '--objects', '--all').split('\n');
  const files = readdirSync(rig.worktree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => blobId(readFileSync(join(entry.parentPath, entry.name))));
  const found = new Set([...objects.map((line) => line.split(' ')[0] ?? ''), ...files]);
  return texts.filter((text) => !found.has(blobId(text)));
}

function blobId(content: Buffer | string): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Lets one kind of dirt after the other come to this end; gives the texts that there were. */
async function endAll(rig: GitRig, ending: string, end: Ending) {
  const texts: string[] = [];
  for await (const [kind, each] of tasksOf(rig, ending, texts)) {
    const ended = await end(kind, each);
    // Whoever works in it keeps it; it is set aside as it is.
    expect([kind, ended.ok]).toEqual([kind, kind !== OCCUPIED]);
    if (ended.ok) expect([kind, rig.status(rig.worktree)]).toEqual([kind, '']);
  }
  return texts;
}

it.each(ENDINGS)(
  'G3 F40 of twelve kinds of dirt nothing is lost when a worktree is %s',
  async (ending, end) => {
    await using rig = new GitRig().withCommit();
    const texts = await endAll(rig, ending, end);
    expect(texts).toHaveLength(15);
    expect(findLost(rig, texts)).toEqual([]);
  },
  LIMIT_MS,
);
