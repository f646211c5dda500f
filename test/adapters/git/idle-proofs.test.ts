import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StillTrees } from '../../../src/adapters/still-trees.js';
import type { BindRequest, Repositories, Stillness } from '../../../src/ports.js';
import { GitRig, value } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

/** A rig whose free worktree may be looked through ahead, and which tells what git was called for. */
class ProofRig extends GitRig {
  readonly trees = new StillTrees(join(this.root, 'notes'));
  readonly watched: Repositories;
  readonly calls = join(this.root, 'calls');
  /** What happens between the naming of some folders and the next. */
  afterWatch: () => void = () => undefined;

  constructor(stillness?: Stillness) {
    super();
    const env = this.withGitLike(`printf '%s\\n' "$*" >> ${this.calls}`);
    const real: Stillness = {
      watch: async (top, directories) => {
        const others = this.trees.watch(top, directories);
        this.afterWatch();
        // What happened is told before there is an answer.
        await this.trees.isStill(top);
        return others;
      },
      watchMore: async (top, directories) => this.trees.watchMore(top, directories),
      isStill: (top) => this.trees.isStill(top),
      take: (top) => this.trees.take(top),
      forget: (top) => this.trees.forget(top),
    };
    this.watched = this.createRepositories(env, () => success([]), {
      stillness: stillness ?? real,
    });
  }

  /** One task has been through the worktree. */
  async warm(files: Readonly<Record<string, string>> = {}): Promise<this> {
    this.withCommit();
    if (Object.keys(files).length > 0) this.commit(this.repository, files);
    await this.take({ branch: 'first' });
    value(await this.watched.release({ ...this.place, defaultBranch: 'main', taskId: 'x' }));
    return this;
  }

  get place() {
    return { repository: this.repository, worktree: this.worktree };
  }

  async prove(): Promise<boolean> {
    const isProven = value(await this.watched.proveIdle(this.place));
    rmSync(this.calls, { force: true });
    return isProven;
  }

  async take(changes: Partial<BindRequest> = {}): Promise<void> {
    value(await this.watched.bind(this.bindRequest(changes)));
  }

  /** Whether git has looked through the files since the worktree was proven. */
  get hasLooked(): boolean {
    return this.exists(this.calls) && / status /.test(this.read(this.calls));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.trees.close();
    await super[Symbol.asyncDispose]();
  }
}

it('a worktree that was looked through ahead is bound without another look, and without a git process', async () => {
  await using rig = await new ProofRig().warm();
  expect(await rig.prove()).toBe(true);
  await rig.take();
  expect(rig.exists(rig.calls)).toBe(false);
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository));
  expect(rig.status(rig.worktree)).toBe('');
});

type Act = (rig: ProofRig) => void;

/** What somebody does in a worktree after the look, and where it must be found afterwards. */
const FOREIGN: readonly (readonly [string, Act, string, string])[] = [
  ['a new file', (rig) => rig.write(join(rig.worktree, 'new.txt'), 'x'), 'new.txt', 'x'],
  ['a new folder', (rig) => rig.write(join(rig.worktree, 'new/in.txt'), 'x'), 'new/in.txt', 'x'],
  [
    'a file in a deep folder',
    (rig) => rig.write(join(rig.worktree, 'dir/x.txt'), 'x'),
    'dir/x.txt',
    'x',
  ],
  ['a changed file', (rig) => rig.write(join(rig.worktree, 'dir/b.txt'), 'x'), 'dir/b.txt', 'x'],
  [
    'a staged change whose file is as it was',
    (rig) => {
      rig.write(join(rig.root, 'blob'), 'staged');
      const blob = rig.git(rig.worktree, 'hash-object', '-w', join(rig.root, 'blob'));
      rig.git(rig.worktree, 'update-index', '--cacheinfo', `100644,${blob},a.txt`);
    },
    'a.txt',
    'one\n',
  ],
];

it.each(FOREIGN)(
  'F40 %s after the look is saved before the next task has the worktree',
  async (_, act, path, text) => {
    await using rig = await new ProofRig().warm();
    await rig.prove();
    act(rig);
    await rig.take();
    expect(rig.hasLooked).toBe(true);
    expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
    expect(rig.status(rig.worktree)).toBe('');
    const [ref = ''] = rig.salvageRefs();
    expect(rig.stored(ref, path).toString()).toBe(text);
  },
);

it('F40 a commit on no branch after the look is saved, too', async () => {
  await using rig = await new ProofRig().warm();
  await rig.prove();
  const tree = rig.git(rig.worktree, 'rev-parse', 'HEAD^{tree}');
  const commit = rig.git(rig.worktree, 'commit-tree', '-p', 'HEAD', '-m', 'mine', tree);
  rig.git(rig.worktree, 'update-ref', '--no-deref', 'HEAD', commit);
  await rig.take();
  expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository));
  expect(rig.git(rig.repository, 'for-each-ref', '--contains', commit)).toContain(
    'refs/orange/salvage',
  );
});

it('F40 work in a folder that was empty at the look is saved', async () => {
  await using rig = await new ProofRig().warm();
  mkdirSync(join(rig.worktree, 'empty/inner'), { recursive: true });
  await rig.prove();
  rig.write(join(rig.worktree, 'empty/inner/work.txt'), 'mine');
  await rig.take();
  const [ref = ''] = rig.salvageRefs();
  expect(rig.stored(ref, 'empty/inner/work.txt').toString()).toBe('mine');
});

it('settings that somebody gave to the worktree alone after the look do not steer the next task', async () => {
  await using rig = await new ProofRig().warm();
  rig.git(rig.repository, 'config', 'extensions.worktreeConfig', 'true');
  expect(await rig.prove()).toBe(true);
  rig.git(rig.worktree, 'config', '--worktree', 'alias.st', 'status');
  await rig.take();
  expect(rig.tryGit(rig.worktree, 'config', '--worktree', 'alias.st')).not.toBe(0);
});

it('what is done in folders that git ignores leaves the look as good as it was', async () => {
  await using rig = await new ProofRig().warm();
  rig.write(join(rig.worktree, 'ignored/deep/before.txt'), 'x');
  await rig.prove();
  rig.write(join(rig.worktree, 'ignored/deep/after.txt'), 'x');
  await rig.take();
  expect(rig.hasLooked).toBe(false);
  expect(rig.exists(rig.worktree, 'ignored/deep/after.txt')).toBe(true);
});

it('F40 a file at the top is saved although something stirred while the folders were still being named', async () => {
  await using rig = await new ProofRig().warm();
  mkdirSync(join(rig.worktree, 'empty'));
  rig.afterWatch = () => rig.write(join(rig.worktree, '.env'), 'ignored');
  await rig.prove();
  rig.write(join(rig.worktree, 'mine.txt'), 'mine');
  await rig.take();
  expect(rig.stored(rig.salvageRefs()[0] ?? '', 'mine.txt').toString()).toBe('mine');
});

const UNIGNORED: readonly (readonly [string, Act])[] = [
  ['of the repository', (rig) => rig.write(join(rig.repository, '.git/info/exclude'), '')],
  ['of the person', (rig) => rig.write(join(rig.root, 'home/ignore'), '')],
  [
    'of the person, by a setting',
    (rig) => rig.git(rig.root, 'config', '--global', 'core.excludesFile', '/dev/null'),
  ],
  [
    'of the repository, by a setting',
    (rig) => rig.git(rig.repository, 'config', 'core.excludesFile', '/dev/null'),
  ],
];

it.each(UNIGNORED)(
  'F40 a file that was ignored at the look is saved when the rules %s let go of it',
  async (_, act) => {
    await using rig = new ProofRig();
    rig.git(rig.root, 'config', '--global', 'core.excludesFile', join(rig.root, 'home/ignore'));
    rig.write(join(rig.root, 'home/ignore'), 'by-person/\n');
    await rig.warm();
    appendFileSync(join(rig.repository, '.git/info/exclude'), 'by-repository/\n');
    rig.write(join(rig.worktree, 'by-person/mine.txt'), 'mine');
    rig.write(join(rig.worktree, 'by-repository/mine.txt'), 'mine');
    expect(await rig.prove()).toBe(true);
    act(rig);
    await rig.take();
    const [ref = ''] = rig.salvageRefs();
    expect(rig.git(rig.repository, 'ls-tree', '-r', '--name-only', ref)).toMatch(/by-.*mine.txt/);
    expect(rig.status(rig.worktree)).toBe('');
  },
);

it('F40 work is saved in a worktree that took the place of the one that was looked through', async () => {
  await using rig = await new ProofRig().warm();
  await rig.prove();
  const parent = dirname(rig.worktree);
  renameSync(parent, `${parent}-away`);
  cpSync(`${parent}-away`, parent, { recursive: true, preserveTimestamps: true });
  rig.write(join(rig.worktree, 'mine.txt'), 'mine');
  await rig.take();
  expect(rig.stored(rig.salvageRefs()[0] ?? '', 'mine.txt').toString()).toBe('mine');
});

it('F40 a folder whose name looks like a pattern of git’s is watched like any other', async () => {
  await using rig = await new ProofRig().warm({ '.gitignore': '/ignored/\n' });
  mkdirSync(join(rig.worktree, ':/ignored'), { recursive: true });
  mkdirSync(join(rig.worktree, 'ignored'));
  await rig.prove();
  rig.write(join(rig.worktree, ':/ignored/mine.txt'), 'mine');
  await rig.take();
  expect(rig.stored(rig.salvageRefs()[0] ?? '', ':/ignored/mine.txt').toString()).toBe('mine');
});

const BLIND: Stillness = {
  watch: async () => null,
  watchMore: async () => null,
  isStill: async () => true,
  take: async () => true,
  forget: () => undefined,
};

describe('a look that says nothing', () => {
  it('is one at a worktree in which somebody has left work', async () => {
    await using rig = await new ProofRig().warm();
    rig.write(join(rig.worktree, 'mine.txt'), 'mine');
    expect(await rig.prove()).toBe(false);
    await rig.take();
    expect(rig.stored(rig.salvageRefs()[0] ?? '', 'mine.txt').toString()).toBe('mine');
  });

  it('is one that a bind has overtaken', async () => {
    await using rig = await new ProofRig().warm();
    const proven = rig.watched.proveIdle(rig.place);
    await rig.take();
    value(await proven);
    rig.write(join(rig.worktree, 'work.txt'), 'the task’s own');
    value(await rig.watched.release({ ...rig.place, defaultBranch: 'main', taskId: 'x' }));
    await rig.take({ branch: 'second' });
    expect(rig.hasLooked).toBe(true);
    expect(rig.status(rig.worktree)).toBe('');
  });

  it('is one at a worktree that cannot be watched', async () => {
    await using rig = await new ProofRig(BLIND).warm();
    await rig.prove();
    rig.write(join(rig.worktree, 'mine.txt'), 'mine');
    await rig.take();
    expect(rig.stored(rig.salvageRefs()[0] ?? '', 'mine.txt').toString()).toBe('mine');
  });

  it('is one at a worktree with another repository in it', async () => {
    await using rig = new ProofRig();
    rig.withCommit();
    const inner = join(rig.root, 'inner');
    rig.git(rig.root, 'init', '-q', inner);
    rig.commit(inner, { 'in.txt': 'x' });
    rig.git(rig.repository, 'submodule', 'add', '-q', inner, 'sub');
    rig.git(rig.repository, 'commit', '-qm', 'sub');
    await rig.take({ branch: 'first' });
    value(await rig.watched.release({ ...rig.place, defaultBranch: 'main', taskId: 'x' }));
    await rig.prove();
    await rig.take();
    expect(rig.hasLooked).toBe(true);
  });

  it('is one of a worktree that is gone', async () => {
    await using rig = await new ProofRig().warm();
    rm(rig.worktree);
    value(await rig.watched.proveIdle(rig.place));
    await rig.take();
    expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  });
});

function rm(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
