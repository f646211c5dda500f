import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { artifactsOf, readSections } from '../../src/record/sections.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

function taskText(status: string, context: string, rest = ''): string {
  return `---\nid: T1\nstatus: ${status}\nsummary: "Fix the \\"login\\"; now"\nodd:   kept\n---\n\n## Context\n\n${context}\n${rest}`;
}

async function exitOf(agent: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (agent.exitCode !== null) return agent.exitCode;
  return new Promise((resolve) => agent.once('exit', resolve));
}

/** The bundled agent as a real process in a real worktree; the test plays orange's part. */
describe('the demo agent', () => {
  let root = '';
  let agentPath = '';
  let repo = '';
  let taskFile = '';
  const running: ChildProcessWithoutNullStreams[] = [];
  let screen = '';

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'demo-'));
    agentPath = join(root, 'agent.mjs');
    await build({
      entryPoints: ['src/harness/demo/main.ts'],
      outfile: agentPath,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeEach(() => {
    const main = mkdtempSync(join(root, 'main-'));
    git(main, 'init', '-q', '-b', 'main');
    git(
      main,
      '-c',
      'user.name=u',
      '-c',
      'user.email=u@e',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'start',
    );
    repo = join(mkdtempSync(join(root, 'pool-')), 'p--1');
    git(main, 'worktree', 'add', '-q', '-b', 'fix/login', repo);
    taskFile = join(mkdtempSync(join(root, 'task-')), 'TASK.md');
    symlinkSync(taskFile, join(repo, 'TASK.md'));
    screen = '';
  });
  afterEach(() => {
    for (const agent of running.splice(0)) agent.kill('SIGKILL');
  });

  function git(cwd: string, ...argv: readonly string[]): string {
    const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
    const run = spawnSync('git', argv, { cwd, encoding: 'utf8', env });
    expect(run.stderr).toBe('');
    return run.stdout;
  }

  function start(role: 'worker' | 'reviewer', round = 0): ChildProcessWithoutNullStreams {
    const agent = spawn(process.execPath, [agentPath], {
      cwd: repo,
      env: {
        PATH: process.env['PATH'],
        HOME: root,
        GIT_CONFIG_NOSYSTEM: '1',
        ORANGE_TASK_FILE: join(repo, 'TASK.md'),
        ORANGE_TASK_ID: 'T1',
        ORANGE_ROLE: role,
        ORANGE_REVIEW_ROUND: String(round),
        ORANGE_DEMO_STEP_MS: '1',
      },
    });
    running.push(agent);
    agent.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    agent.stderr.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    return agent;
  }

  async function until(what: string, isSo: () => boolean): Promise<void> {
    await expect
      .poll(isSo, { timeout: 10_000, interval: 20, message: `${what}\n${screen}` })
      .toBe(true);
  }

  const task = (): string => readFileSync(taskFile, 'utf8');
  const setStatus = (status: string): void =>
    writeFileSync(taskFile, task().replace(/^status: .*$/m, `status: ${status}`));
  const demoFile = (): string =>
    readFileSync(join(repo, 'orange-demo/fix-the-login-now.md'), 'utf8');
  const commits = (): readonly string[] =>
    git(repo, 'log', '--format=%s', 'main..HEAD').trim().split('\n').filter(Boolean);

  async function workToHandoff(): Promise<ChildProcessWithoutNullStreams> {
    const worker = start('worker');
    await until('a plan', () => task().includes('## Plan'));
    setStatus('working');
    await until('a handoff', () => task().includes('## Handoff'));
    return worker;
  }

  it('plans, edits, commits and hands off, then stays until its terminal is gone', async () => {
    const before = taskText('planning', 'Please.\n\n```\n## Plan\n```');
    writeFileSync(taskFile, before);
    const worker = await workToHandoff();
    expect(task().startsWith(before.replace('planning', 'working'))).toBe(true);
    expect(task()).toMatch(/\n## Plan\n\nAPPROACH: \S.*\nTOUCHING: orange-demo\//);
    expect(task()).toMatch(/\n## Handoff\n\nDONE: \S/);
    expect(artifactsOf(readSections(task()).sections)).toMatchObject({
      hasValidPlan: true,
      hasValidHandoff: true,
    });
    expect(lstatSync(join(repo, 'TASK.md')).isSymbolicLink()).toBe(true);
    expect(demoFile()).toBe('- Fix the "login"; now (first version)\n');
    expect(commits()).toEqual(['Fix the "login"; now']);
    expect(git(repo, 'status', '--porcelain', '--', 'orange-demo')).toBe('');
    expect(worker.exitCode).toBeNull();
    worker.stdin.end();
    expect(await exitOf(worker)).toBe(0);
  });

  it('does not hand off before the plan is accepted', async () => {
    writeFileSync(taskFile, taskText('planning', 'Please.'));
    start('worker');
    await until('waiting', () => screen.includes('Waiting until orange'));
    expect(task()).not.toContain('## Handoff');
    expect(existsSync(join(repo, 'orange-demo'))).toBe(false);
  });

  it('follows a plan that is already there', async () => {
    const plan = '\n## Plan\n\nAPPROACH: mine\n\n## Notes\n\nstay\n';
    writeFileSync(taskFile, taskText('working', 'Please.', plan));
    start('worker');
    await until('a handoff', () => task().includes('## Handoff'));
    expect(task()).toContain(plan);
  });

  it('acts on a failed review with another commit and another handoff', async () => {
    writeFileSync(taskFile, taskText('planning', 'demo: fail-once'));
    const worker = await workToHandoff();
    const firstHandoff = task();
    setStatus('agent-review');
    const reviewer = start('reviewer', 1);
    expect(await exitOf(reviewer)).toBe(0);
    expect(task()).toMatch(/\n## Review\n\nVerdict: FAIL\n\norange-demo\/\S+:1 /);
    setStatus('working');
    worker.stdin.write('orange: review round 1 ended with FAIL.\nRead it.\n');
    await until('a second handoff', () => task().includes('revision 1'));
    expect(task()).not.toBe(firstHandoff);
    expect(task().match(/^## Handoff$/gm)).toHaveLength(1);
    expect(commits()).toHaveLength(2);
    expect(await exitOf(start('reviewer', 2))).toBe(0);
    expect(task()).toMatch(/\n## Review\n\nVerdict: PASS\n/);
    expect(task().match(/^## Review$/gm)).toHaveLength(1);
  });

  it('leaves the branch alone when spoken to while the task is not in work', async () => {
    writeFileSync(taskFile, taskText('planning', 'Please.'));
    const worker = await workToHandoff();
    setStatus('reviewing');
    worker.stdin.write('hello\n');
    await until('an answer', () => screen.includes('nothing to do while the task is in reviewing'));
    expect(commits()).toHaveLength(1);
  });

  it.each([
    ['demo: pass', 1, 'PASS'],
    ['', 1, 'PASS'],
    ['demo: fail-once', 1, 'FAIL'],
    ['demo: fail-once', 2, 'PASS'],
    ['demo: fast, fail-always', 2, 'FAIL'],
  ])('%j reviews round %i with %s', async (context, round, verdict) => {
    writeFileSync(taskFile, taskText('agent-review', context));
    expect(await exitOf(start('reviewer', round))).toBe(0);
    expect(task()).toContain(`\n## Review\n\nVerdict: ${verdict}\n`);
  });

  it('crashes once in the middle of the work and recovers when started again', async () => {
    writeFileSync(taskFile, taskText('working', 'demo: crash-once', '\n## Plan\n\nAPPROACH: x\n'));
    expect(await exitOf(start('worker'))).toBe(1);
    expect(task()).not.toContain('## Handoff');
    expect(commits()).toEqual([]);
    start('worker');
    await until('a handoff', () => task().includes('## Handoff'));
    expect(demoFile()).toBe('- Fix the "login"; now (first version)\n');
    expect(commits()).toHaveLength(1);
  });

  it('crashes every time when told so', async () => {
    writeFileSync(
      taskFile,
      taskText('working', 'demo: crash-always', '\n## Plan\n\nAPPROACH: x\n'),
    );
    expect(await exitOf(start('worker'))).toBe(1);
    expect(await exitOf(start('worker'))).toBe(1);
    expect(task()).not.toContain('## Handoff');
  });

  it('asks, requests clarification, and goes on once it is answered', async () => {
    writeFileSync(taskFile, taskText('planning', 'demo: ask'));
    const worker = start('worker');
    await until('a question', () => screen.includes('Waiting for an answer'));
    expect(task()).toMatch(/^status: clarification$/m);
    expect(task()).toMatch(/\n## Questions\n\n1\. \S/);
    worker.stdin.write('Orange, of course.\n');
    await until('a plan', () => task().includes('## Plan'));
    expect(task()).toMatch(/^status: planning$/m);
  });

  it('says what is missing when orange did not start it', async () => {
    const run = spawnSync(process.execPath, [agentPath], { encoding: 'utf8', env: {} });
    expect(run.status).toBe(2);
    expect(run.stderr).toContain('ORANGE_TASK_FILE');
  });
});
