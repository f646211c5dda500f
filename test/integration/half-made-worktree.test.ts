import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPool, isAlive, killDaemon, launchesAlive } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const FILES = 6000;
const PATIENCE_MS = 60_000;
/** Says how many of the files it finds are not as they were committed. */
const WORKER = 'say "$(git status --porcelain | wc -l) changes"; idle';

describe('a worktree whose making was cut off by a kill of the daemon', () => {
  it('F4 is waited for and given to its task when the git that fills it goes on', async () => {
    await using rig = await openRig();
    const { git, id } = await killWhileFilled(rig);
    process.kill(git, 'SIGCONT');
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'planning', PATIENCE_MS);
    expect(isAlive(git)).toBe(false);
    await checkStart(rig, id);
    expect(filesIn(rig, rig.field(id, 'workspace'))).toBe(FILES);
    // On a slow machine it was set aside meanwhile, and another made in its stead.
    if (rig.field(id, 'workspace') !== 'shop--1') await comesBack(rig);
    checkPool(rig, [id]);
  });

  it('F4 is given to nobody while the git that fills it stands still, and back in the pool afterwards', async () => {
    await using rig = await openRig();
    const { git, id } = await killWhileFilled(rig);
    const left = filesIn(rig);
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'planning', PATIENCE_MS);
    // The half-made one was left alone, and another made in its stead.
    expect(rig.history(id).map(({ type }) => type)).toContain('spawn.failed');
    expect(rig.field(id, 'workspace')).toBe('shop--2');
    expect([isAlive(git), filesIn(rig)]).toEqual([true, left]);
    process.kill(git, 'SIGCONT');
    await rig.until('its end', () => !isAlive(git));
    await checkStart(rig, id);
    await comesBack(rig);
    expect(filesIn(rig)).toBe(FILES);
    checkPool(rig, [id]);
  });

  it('F4 is not finished while the git that makes it lives, and is once that has ended', async () => {
    await using rig = await openRig();
    const { git, gate, id, admin } = await killWhileMade(rig);
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'planning', PATIENCE_MS);
    expect(rig.field(id, 'workspace')).toBe('shop--2');
    expect(isAlive(git)).toBe(true);
    // Nobody has touched what that git is working on.
    expect(rig.read(join(admin, 'locked')).trim()).toBe('initializing');
    gate.open();
    await rig.until('its end', () => !isAlive(git));
    await checkStart(rig, id);
    await comesBack(rig);
    checkPool(rig, [id]);
  });

  it('F4 is finished when the git that made it was killed too', async () => {
    await using rig = await openRig();
    const { git, id } = await killWhileMade(rig);
    process.kill(git, 'SIGKILL');
    await rig.until('its end', () => !isAlive(git));
    await rig.must('daemon', 'start');
    await rig.waitForStatus(id, 'planning', PATIENCE_MS);
    expect(rig.field(id, 'workspace')).toBe('shop--1');
    await checkStart(rig, id);
    checkPool(rig, [id]);
  });
});

function openRig(): Promise<Rig> {
  return createRig({ poolSize: 1, agents: { plain: { worker: WORKER } } });
}

/** The task has one agent, in a worktree that is clean and on its branch. */
async function checkStart(rig: Rig, id: string): Promise<void> {
  await rig.until('the agent', () => rig.said().length > 0);
  expect(rig.said()).toEqual(['0 changes']);
  const workspace = rig.workspace(rig.field(id, 'workspace') ?? '');
  expect(rig.git(workspace, 'branch', '--show-current')).toBe('slow');
  expect(launchesAlive(id, 'worker')).toHaveLength(1);
}

/** What was set aside is free again once somebody asks for it. */
async function comesBack(rig: Rig): Promise<void> {
  await rig.orange('doctor', '--fix', 'quarantined', '--yes');
  await rig.until('a free worktree', () => rig.pool()['shop--1']?.status === 'available');
  expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
}

/** Kills the daemon once its git has begun to write the files; that git stands still. */
async function killWhileFilled(rig: Rig) {
  fillRepository(rig);
  await rig.must('daemon', 'start');
  const asked = rig.orange('task', 'create', 'slow', 'x', ...PLAIN);
  const git = await rig.until('git in the half-made worktree', () => fillerOf(rig));
  process.kill(git, 'SIGSTOP');
  expect(filesIn(rig)).toBeLessThan(FILES);
  expect(await killDaemon(rig)).toBe(true);
  await asked;
  return { git, id: onlyTask(rig) };
}

/** Kills the daemon in the middle of `git worktree add`, which waits at a gate. */
async function killWhileMade(rig: Rig) {
  const gate = holdWorktreeAdd(rig);
  await rig.must('daemon', 'start');
  const asked = rig.orange('task', 'create', 'slow', 'x', ...PLAIN);
  const admin = join(rig.repository, '.git', 'worktrees', 'shop--1');
  await rig.until('the gate', () => existsSync(join(admin, 'locked')) && gate.isReached(admin));
  const git = await rig.until('git', () => makerOf(rig));
  expect(await killDaemon(rig)).toBe(true);
  await asked;
  gate.takeAway();
  return { git, gate, admin, id: onlyTask(rig) };
}

function onlyTask(rig: Rig): string {
  const ids = readdirSync(join(rig.home, 'tasks', 'shop'));
  expect(ids).toHaveLength(1);
  return ids[0] ?? '';
}

/** One commit with so many files that to write them takes a while. */
function fillRepository(rig: Rig): void {
  const files = Array.from(
    { length: FILES },
    (_, index) => `M 100644 :1 many/${Math.floor(index / 500)}/${index}.txt\n`,
  );
  const input = `blob\nmark :1\ndata 2\nx\n\ncommit refs/heads/main\ncommitter Pat Rig <pat@rig.invalid> 1700000000 +0000\ndata 4\nMany\nfrom refs/heads/main^0\n${files.join('')}\n`;
  const ran = spawnSync('git', ['-C', rig.repository, 'fast-import', '--quiet'], {
    env: rig.env,
    input,
    encoding: 'utf8',
  });
  expect(ran.status, ran.stderr).toBe(0);
}

/** The git that fills the worktree, once it has begun and before it is through. */
function fillerOf(rig: Rig): number | null {
  const lock = join(rig.repository, '.git', 'worktrees', 'shop--1', 'index.lock');
  if (!existsSync(lock) || !existsSync(join(rig.workspace(), 'many', '2'))) return null;
  return gits().find(({ cwd }) => cwd === rig.workspace())?.pid ?? null;
}

/** The git that makes the worktree. */
function makerOf(rig: Rig): number | null {
  const isMaker = (argv: readonly string[]): boolean =>
    argv.includes('worktree') && argv.includes(rig.workspace());
  return gits().find(({ argv }) => isMaker(argv))?.pid ?? null;
}

function gits() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const cwd = readlinkSync(`/proc/${name}/cwd`);
        const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
        return basename(argv[0] ?? '') === 'git' ? [{ pid: Number(name), cwd, argv }] : [];
      } catch {
        return [];
      }
    });
}

function filesIn(rig: Rig, workspace: string | null = 'shop--1'): number {
  const many = join(rig.workspace(workspace ?? ''), 'many');
  if (!existsSync(many)) return 0;
  return readdirSync(many, { recursive: true }).filter((name) => String(name).endsWith('.txt'))
    .length;
}

/** `git worktree add` reads what is sparse here, and waits for it at a pipe. */
function holdWorktreeAdd(rig: Rig) {
  const pipe = join(rig.root, 'pipe');
  const asked = join(rig.repository, '.git', 'info', 'sparse-checkout');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  rig.git(rig.repository, 'config', 'core.sparseCheckout', 'true');
  rmSync(asked, { force: true });
  linkSync(pipe, asked);
  return {
    takeAway: () => {
      rig.git(rig.repository, 'config', '--unset', 'core.sparseCheckout');
      rmSync(asked);
    },
    open: () => closeSync(openSync(pipe, 'w')),
    // The last that it writes before it comes there.
    isReached: (admin: string) => existsSync(join(admin, 'info')),
  };
}
