import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createDiskFiles } from '../../../src/adapters/disk-files.js';
import {
  createRepositories,
  type RepositoriesOptions,
} from '../../../src/adapters/git/repositories.js';
import { isUnbound } from '../../../src/api/is-unbound.js';
import type { Failure } from '../../../src/domain/failure.js';
import type { Result } from '../../../src/domain/result.js';
import type { MergeRequest } from '../../../src/domain/merge-request.js';
import type { BindRequest, Repositories } from '../../../src/ports.js';
import { success } from '../../../src/domain/result.js';

export const TASK = 'V1StGXR8Z5jdHi6BmyT0a';

/** A temporary place with a repository, its own git configuration, and orange's git on top. */
export class GitRig implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'og-')));
  readonly repository: string;
  readonly worktree: string;
  readonly env: Record<string, string>;
  readonly repositories: Repositories;
  readonly gitProgram = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  readonly events: { readonly event: string }[] = [];

  constructor(name = 'project') {
    this.repository = join(this.root, name);
    this.worktree = join(this.root, 'workspaces', 'project--1');
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(this.root, 'home'),
      GIT_CONFIG_GLOBAL: join(this.root, 'home', '.gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
    };
    this.write(
      join(this.root, 'home', '.gitconfig'),
      '[user]\n\tname = Pat\n\temail = pat@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
    );
    this.repositories = this.createRepositories();
  }

  createRepositories(
    env: Record<string, string> = this.env,
    findOccupants: RepositoriesOptions['findOccupants'] = () => success([]),
    changes: Partial<RepositoriesOptions> = {},
  ): Repositories {
    return createRepositories({
      env,
      findOccupants,
      isUnbound,
      files: createDiskFiles(),
      clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
      log: { write: (record) => this.events.push(record) },
      fetchTimeoutMs: 5000,
      fetchFreshMs: 0,
      ...changes,
    });
  }

  /** An environment in which git runs these lines of sh first, with its arguments as `$*`. */
  withGitLike(lines: string): Record<string, string> {
    const bin = join(this.root, `bin-${Math.random().toString(36).slice(2)}`);
    this.write(join(bin, 'git'), `#!/bin/sh\n${lines}\nexec ${this.gitProgram} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return { ...this.env, PATH: `${bin}:${this.env['PATH']}` };
  }

  /** The person's own git. */
  git(directory: string, ...argv: readonly string[]): string {
    return execFileSync('git', ['-C', directory, ...argv], {
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  tryGit(directory: string, ...argv: readonly string[]): number | null {
    return spawnSync('git', ['-C', directory, ...argv], { env: this.env }).status;
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  commit(directory: string, files: Readonly<Record<string, string>>, message = 'change'): string {
    for (const [name, content] of Object.entries(files)) this.write(join(directory, name), content);
    this.git(directory, 'add', '-A');
    this.git(directory, 'commit', '-qm', message);
    return this.head(directory);
  }

  head(directory: string, name = 'HEAD'): string {
    return this.git(directory, 'rev-parse', '--verify', name);
  }

  /** A repository with one commit on `main`. */
  withCommit(branch = 'main'): this {
    mkdirSync(this.repository, { recursive: true });
    this.git(this.repository, 'init', '-q', '-b', branch);
    this.commit(this.repository, {
      'a.txt': 'one\n',
      'dir/b.txt': 'two\n',
      '.gitignore': 'ignored/\n.env\n',
    });
    return this;
  }

  /** A bare repository as origin, with everything pushed. */
  withRemote(branch = 'main'): string {
    const remote = join(this.root, 'remote.git');
    this.git(this.root, 'init', '-q', '--bare', '-b', branch, remote);
    this.git(this.repository, 'remote', 'add', 'origin', remote);
    this.git(this.repository, 'push', '-q', 'origin', branch);
    this.git(this.repository, 'remote', 'set-head', 'origin', branch);
    return remote;
  }

  /** A commit that somebody else pushes to the remote's branch. */
  pushFromElsewhere(
    remote: string,
    branch: string,
    files: Readonly<Record<string, string>>,
  ): string {
    const clone = join(this.root, `clone-${Math.random().toString(36).slice(2)}`);
    this.git(this.root, 'clone', '-q', remote, clone);
    if (this.tryGit(clone, 'checkout', '-q', branch) !== 0)
      this.git(clone, 'checkout', '-qb', branch);
    const commit = this.commit(clone, files, 'from elsewhere');
    this.git(clone, 'push', '-q', 'origin', branch);
    return commit;
  }

  bindRequest(changes: Partial<BindRequest> = {}): BindRequest {
    return {
      repository: this.repository,
      worktree: this.worktree,
      branch: 'feat',
      defaultBranch: 'main',
      base: null,
      taskId: TASK,
      ...changes,
    };
  }

  async bind(changes: Partial<BindRequest> = {}): Promise<string> {
    const head = value(await this.repositories.bind(this.bindRequest(changes))).head;
    const taskFile = join(this.root, 'tasks', TASK, 'TASK.md');
    this.write(taskFile, '---\nid: x\n---\n');
    const link = join(changes.worktree ?? this.worktree, 'TASK.md');
    rmSync(link, { force: true });
    symlinkSync(taskFile, link);
    return head;
  }

  release(worktree = this.worktree) {
    const { repository } = this;
    return this.repositories.release({ repository, worktree, defaultBranch: 'main', taskId: TASK });
  }

  mergeRequest(changes: Partial<MergeRequest> = {}): MergeRequest {
    return {
      repository: this.repository,
      worktree: this.worktree,
      branch: 'feat',
      base: 'main',
      strategy: 'squash',
      taskId: TASK,
      message: 'Add the feature',
      push: false,
      heads: 'as-reviewed',
      trial: null,
      ...changes,
    };
  }

  salvageRefs(): readonly string[] {
    return this.git(this.repository, 'for-each-ref', '--format=%(refname)', 'refs/orange/salvage')
      .split('\n')
      .filter((ref) => ref !== '');
  }

  /** The bytes a ref has for a path. */
  stored(ref: string, path: string): Buffer {
    return execFileSync('git', ['-C', this.repository, 'cat-file', 'blob', `${ref}:${path}`], {
      env: this.env,
    });
  }

  status(directory: string): string {
    return this.git(directory, 'status', '--porcelain');
  }

  read(...parts: readonly string[]): string {
    return readFileSync(join(...parts), 'utf8');
  }

  exists(...parts: readonly string[]): boolean {
    return existsSync(join(...parts));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`unexpected failure ${JSON.stringify(result.failure)}`);
  return result.value;
}

export function failure(result: Result<unknown>): Failure {
  if (result.ok) throw new Error(`unexpected success ${JSON.stringify(result.value)}`);
  return result.failure;
}
