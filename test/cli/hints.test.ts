import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Failure } from '../../src/domain/failure.js';
import { success } from '../../src/domain/result.js';
import { outcome } from '../fakes/fake-client.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig, type CliWorld } from './cli-rig.js';

const TASK = taskView();
const REVIEWING = taskView({ fields: { status: 'reviewing' } });
const PENDING = taskView({
  fields: { id: 'pend1', branch: 'later', status: 'pending', workspace: null, tmux_session: null },
  session: 'inactive',
});
const DONE = taskView({
  fields: { id: 'done1', branch: 'gone', status: 'done', workspace: null, tmux_session: null },
  session: 'inactive',
});
const snapshot = snapshotOf([TASK, PENDING, DONE], [projectView(), projectView('site')]);

function run(line: string, world: CliWorld = {}) {
  return cliRig({ snapshot, ...world }).run(...line.split(' '));
}

function refused(line: string, failure: Failure) {
  return run(line, { answer: () => failure });
}

function problem(file: string) {
  return { code: 'ORA004', severity: 'error', file, line: 1, message: 'x', fix: '' } as const;
}

function withConfig(text: string) {
  const rig = cliRig({ snapshot, env: { PATH: '/none' } });
  writeFileSync(join(rig.home, 'config.yaml'), text);
  return rig;
}

function freeWorktree(slot: number) {
  const workspace = `shop--${slot}`;
  const place = { project: 'shop', slot, path: `/h/workspaces/${workspace}` };
  return { workspace, ...place, status: 'available', task_id: null, task: null } as const;
}

describe('no agent to talk to', () => {
  it.each(['attach pend1', 'task attach pend1', 'task send pend1 hello'])(
    'orange %s points to spawn',
    async (line) => {
      const ran = await run(line);
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain('orange task spawn shop/later');
      expect(ran.stderr).not.toContain('respawn');
    },
  );

  it('a task that is over points to reopen', async () => {
    expect((await run('attach done1')).stderr).toContain('orange task reopen shop/gone');
  });

  it('attach without a terminal mentions --json', async () => {
    expect((await run('attach abc0')).stderr).toContain('--json');
  });
});

describe('hints carry the task', () => {
  it('when a move is refused', async () => {
    const because = { kind: 'no-such-move' } as const;
    const failure = { kind: 'move-refused', from: 'working', to: 'done', because } as const;
    const ran = await refused('task update abc0 --status done', failure);
    expect(ran.stderr).toContain('orange task show shop/dark-mode');
  });

  it('when a status does not fit', async () => {
    const facts = { action: 'merge', status: 'working', allowed: [] } as const;
    const ran = await refused('task respawn abc0', { kind: 'wrong-status', ...facts });
    expect(ran.stderr).toContain('Cannot merge shop/dark-mode: it is working.');
    expect(ran.stderr).toContain('orange task show shop/dark-mode');
  });

  it('when work that waits for a person is passed instead of merged', async () => {
    const facts = { action: 'review with PASS', status: 'reviewing' } as const;
    const failure = { kind: 'wrong-status', ...facts, allowed: ['agent-review'] } as const;
    const ran = await refused('task review abc0 --pass', failure);
    expect(ran.stderr).toContain('orange task merge shop/dark-mode');
  });

  it('when a wait took too long', async () => {
    const ran = await run('task wait abc0 --status done,stuck --timeout 0.01');
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain(
      'shop/dark-mode is still working after 0.01 seconds; waited for done or stuck.',
    );
    expect(ran.stderr).toContain('orange task show shop/dark-mode');
  });

  it('when a task cannot start yet', async () => {
    const facts = { taskId: 'pend1', reasons: [`blocked by ${TASK.fields.id} (working)`] };
    const ran = await refused('spawn pend1', { kind: 'not-eligible', ...facts });
    expect(ran.stderr).toContain(
      'shop/later cannot start yet: blocked by shop/dark-mode (working)',
    );
    expect(ran.stderr).toContain('orange task spawn --force shop/later');
  });

  it('when another task has the branch', async () => {
    const where = `task ${TASK.fields.id}`;
    const failure = { kind: 'branch-in-use', branch: 'dark-mode', where } as const;
    const ran = await refused('task create dark-mode --project shop', failure);
    expect(ran.stderr).toContain('used by shop/dark-mode');
    expect(ran.stderr).toContain('hoose another branch name');
  });
});

describe('a project that exists already', () => {
  const failure = { kind: 'project-exists', name: 'shop', path: '/repos/shop' } as const;

  it('by its repository', async () => {
    const ran = await refused('project add /repos/shop --name other', failure);
    expect(ran.stderr).toContain('This repository is already project "shop" (/repos/shop).');
  });

  it('by its name', async () => {
    const ran = await refused('project add /elsewhere/shop', failure);
    expect(ran.stderr).toContain('The name "shop" is already taken by project /repos/shop.');
  });
});

describe('a path that is no repository', () => {
  it.each([
    ['/no/such', '/no/such does not exist.'],
    ['/etc/passwd', '/etc/passwd is a file, not the directory of a git repository.'],
    [tmpdir(), `${tmpdir()} is not inside a git repository.`],
  ])('%s', async (path, message) => {
    const ran = await refused(`project add ${path}`, { kind: 'not-a-repository', path });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain(message);
  });
});

describe('a bare --branch', () => {
  const worktrees = [
    { path: '/repos/shop', branch: 'main' },
    { path: '/h/workspaces/shop--1', branch: 'renamed' },
  ];
  const repositories = { listWorktrees: async () => success(worktrees) };

  it("takes no branch but that of the task's own worktree", async () => {
    for (const cwd of ['/repos/shop', '/elsewhere']) {
      const rig = cliRig({ snapshot, cwd, repositories });
      const ran = await rig.run('task', 'update', 'abc0', '--branch');
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toMatch(/worktree of shop\/dark-mode[^]*--branch NAME/);
      expect(rig.client.requests).toHaveLength(0);
    }
  });
});

describe('what comes first', () => {
  it('an unknown project before missing options', async () => {
    expect(await run('project update nosuch')).toMatchObject({ exitCode: 3 });
  });

  it('that a task cannot be deleted before a confirmation', async () => {
    const ran = await run('task delete abc0');
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('Cannot delete shop/dark-mode: it is working.');
    expect(ran.stderr).not.toContain('--yes');
    expect((await run('task delete done1')).stderr).toContain('--yes');
  });

  it('that a task cannot be merged before a confirmation', async () => {
    for (const name of ['abc0', 'pend1', 'done1']) {
      const rig = cliRig({ snapshot, says: 'y' });
      const ran = await rig.run('task', 'merge', name);
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain('Cannot merge');
      expect(rig.client.requests).toHaveLength(0);
    }
  });

  it('validate knows neither such a file nor such a task', async () => {
    expect(await run('validate /no/such')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('no file and no task named "/no/such"'),
    });
  });

  it('without orange.yaml there is nothing to trust', async () => {
    const failure = { kind: 'not-found', what: 'file', name: '/repos/shop/orange.yaml' } as const;
    const ran = await refused('project trust shop', failure);
    expect(ran.stderr).toContain('nothing to trust');
    expect(ran.exitCode).toBe(3);
  });

  it('an empty standard input is no context', async () => {
    const rig = cliRig({ snapshot, stdin: '\n' });
    const ran = await rig.run('task', 'create', '--project', 'shop', '--context', '-');
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('empty') });
    expect(rig.client.requests).toHaveLength(0);
  });
});

describe('an empty list', () => {
  it('says what there is none of', async () => {
    expect((await run('ls -s cancelled -p shop')).stdout).toBe('No cancelled tasks in shop.\n');
    expect((await run('ls -s done,stuck -p site')).stdout).toBe(
      'No done or stuck tasks in site.\n',
    );
    expect((await run('ls -p site')).stdout).toMatch(/^No open tasks in site\. .*task create/);
  });

  it('in a repository that nobody registered all projects are listed, and it says so', async () => {
    const facts = {
      root: '/repos/new',
      isBare: false,
      defaultBranch: 'main',
      hasCommits: true,
      remote: null,
    };
    const repositories = { inspect: async () => success(facts) };
    const ran = await run('ls', { cwd: '/repos/new', repositories });
    expect(ran.stdout).toContain('shop/dark-mode');
    expect(ran.stderr).toMatch(/\/repos\/new is not registered[^]*every project/);
    expect((await run('ls --all', { cwd: '/repos/new', repositories })).stderr).toBe('');
    expect((await run('ls')).stderr).toBe('');
  });

  it('counts files that need attention, not problems', async () => {
    const problems = [problem('/x/TASK.md'), problem('/x/TASK.md'), problem('/y/TASK.md')];
    const ran = await run('ls', { snapshot: { ...snapshot, problems } });
    expect(ran.stderr).toContain('2 files need attention: orange validate');
    const settings = { ...snapshot, problems: [problem('/h/config.yaml')] };
    expect((await run('ls', { snapshot: settings })).stderr).toContain(
      '1 file needs attention: orange doctor',
    );
  });
});

function salvaged(number: number): string {
  const ref = `refs/orange/salvage/abc/${number}`;
  return `${JSON.stringify({ type: 'workspace.salvaged', timestamp: 't', ref })}\n`;
}

describe('what a command has done', () => {
  it('a task without a free worktree is queued', async () => {
    const message = 'all 1 worktrees of shop are in use';
    const waiting = taskView({ ...PENDING, reasons: [{ code: 'pool-full', message }] });
    const ran = await run('spawn pend1', { snapshot: snapshotOf([waiting]) });
    expect(ran.stdout).toMatch(/^Queued shop\/later .*\n {2}waits: all 1 worktrees of shop/);
    expect(ran.stdout).not.toContain('Started');
  });

  it('cancel tells what is kept, merge where it went', async () => {
    const rig = cliRig({ snapshot: snapshotOf([REVIEWING]) });
    const directory = join(rig.home, 'tasks', 'shop', TASK.fields.id);
    mkdirSync(directory, { recursive: true });
    const events = [
      { type: 'workspace.salvaged', timestamp: 't', ref: 'refs/orange/salvage/abc/1' },
      { type: 'task.merged', timestamp: 't', commit: '1234567890abcdef', strategy: 'squash' },
    ];
    const lines = events.map((event) => JSON.stringify(event)).join('\n');
    writeFileSync(join(directory, 'history.jsonl'), `${lines}\n`);
    const cancelled = await rig.run('cancel', 'abc0', '--yes');
    expect(cancelled.stdout).toContain('Branch dark-mode stays');
    expect(cancelled.stdout).toContain('refs/orange/salvage/abc/1');
    const merged = await rig.run('task', 'merge', 'abc0', '--yes');
    expect(merged.stdout).toMatch(/into main .*1234567890/);
  });

  it('requeue tells what it kept, and not what was kept before', async () => {
    const rig = cliRig({
      snapshot: snapshotOf([TASK]),
      answer: () => {
        appendFileSync(join(directory, 'history.jsonl'), salvaged(2));
        return outcome({ task: TASK });
      },
    });
    const directory = join(rig.home, 'tasks', 'shop', TASK.fields.id);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'history.jsonl'), salvaged(1));
    const { stdout } = await rig.run('task', 'requeue', 'abc0', '--yes');
    expect(stdout).toContain('\n  Kept: refs/orange/salvage/abc/2\n');
    expect(stdout).not.toContain('abc/1');
  });

  it('finalize counts in words, and names the files in conflict with nothing hidden', async () => {
    const found = { ready: false, risk: 'Low', action: 'resolve-conflicts', head: 'h' } as const;
    const conflicting = ['src/a\u001B[2J\n.ts'];
    const finalized = { ...found, files: 1, lines: 2, conflicts: 1, conflicting, behind: 1 };
    const task = { ...TASK, finalized };
    const ran = await run('task finalize abc0', { answer: () => outcome({ task }) });
    expect(ran.stdout).toContain('1 file, 2 lines, 1 conflict, 1 commit behind its base');
    expect(ran.stdout).toMatch(/^ {2}conflict: src\/a\^\[\[2J \.ts\n.*finalization-report\.md$/m);
    const told = await run('task finalize abc0 --json', { answer: () => outcome({ task }) });
    expect(told.json()).toMatchObject({ finalized: { conflicting } });
  });

  it('finalize tells where the output of a check that failed is', async () => {
    const found = { ready: false, risk: 'Low', action: 'fix-checks', head: 'h' } as const;
    const size = { files: 1, lines: 2, conflicts: 0, conflicting: [], behind: 0 };
    const task = { ...TASK, finalized: { ...found, ...size } };
    const ran = await run('task finalize abc0', { answer: () => outcome({ task }) });
    expect(ran.stdout).toMatch(/A check failed; its output is in .*test-results\/finalize\.log$/m);
  });

  it('finalize names twenty files in conflict, and tells where the others are named', async () => {
    const found = { ready: false, risk: 'High', action: 'resolve-conflicts', head: 'h' } as const;
    const conflicting = Array.from({ length: 50 }, (_each, at) => `f${at}.ts`);
    const finalized = { ...found, files: 60, lines: 2, conflicts: 60, conflicting, behind: 1 };
    const task = { ...TASK, finalized };
    const ran = await run('task finalize abc0', { answer: () => outcome({ task }) });
    expect(ran.stdout.match(/conflict: /g)).toHaveLength(20);
    expect(ran.stdout).toMatch(/All files in conflict are named in .*finalization-report\.md/);
  });

  it('finalize that is refused does not speak of a merge', async () => {
    const refusal = { kind: 'merge-refused', base: 'main', reason: 'uncommitted-work' } as const;
    const ran = await run('task finalize abc0', { answer: () => refusal });
    expect(ran.stderr).toMatch(/Not tried: [^]*then finalize again/);
    const merged = await run('task merge abc0 --yes', {
      snapshot: snapshotOf([REVIEWING]),
      answer: () => refusal,
    });
    expect(merged.stderr).toMatch(/Merge refused: [^]*then merge again/);
  });

  it('a pool with more worktrees than it wants says how to drop them', async () => {
    const workspaces = [1, 2, 3].map(freeWorktree);
    const ran = await run('workspace list', { snapshot: { ...snapshot, workspaces } });
    expect(ran.stdout).toContain('shop: 3 made, 2 wanted (orange workspace gc drops the rest)');
  });

  it('a set-up that failed promises another try only for tasks', async () => {
    const log = '/h/run/setup-logs/shop--1.log';
    const failure = { kind: 'setup-failed', command: 'npm ci', how: 'ended with 1', log } as const;
    const ran = await refused('workspace init --project shop', failure);
    expect(ran.stderr).toMatch(/setup-logs[^]*A task that waits for it is tried again by itself/);
  });

  it('gc tells what it dropped', async () => {
    const row = freeWorktree(3);
    const ran = await run('workspace gc', { snapshot: { ...snapshot, workspaces: [row] } });
    expect(ran.stdout).toContain('Dropped shop--3');
    expect((await run('workspace gc')).stdout).toContain('Nothing to drop');
  });
});

describe('settings', () => {
  it('doctor names the file and line of a mistake', async () => {
    const ran = await withConfig('polcy: {}\n').run('doctor');
    expect(ran.stdout).toMatch(/settings [^]*config\.yaml:1/);
  });

  it("doctor reads each project's orange.yaml", async () => {
    const path = mkdtempSync(join(tmpdir(), 'or-repo-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    writeFileSync(join(path, 'orange.yaml'), 'polcy: {}\n');
    const rig = cliRig({ snapshot: snapshotOf([], [{ ...projectView(), path }]) });
    expect((await rig.run('doctor')).stdout.replace(/\s+/g, '')).toContain('orange.yaml:1');
  });

  it('harness list tells of a broken config.yaml', async () => {
    const ran = await withConfig('harnesses: [\n').run('harness', 'list');
    expect(ran.stderr).toMatch(/config\.yaml:\d+/);
    expect(ran.exitCode).toBe(0);
  });

  it('doctor names the harnesses that are only used when named', async () => {
    const ran = await withConfig('harnesses:\n  mybot:\n    command: [/bin/sh, "{prompt}"]\n').run(
      'doctor',
    );
    expect(ran.stdout.replace(/\s+/g, ' ')).toMatch(
      /none of harness_order is installed .*--harness mybot/,
    );
  });
});

describe('the dashboard', () => {
  it('on a dumb terminal points to the list', async () => {
    const override = {
      terminal: {
        isInteractive: true,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        screen: {} as never,
        ask: async () => '',
        page: async () => false,
        readInput: async () => '',
      },
    };
    const ran = await cliRig({ snapshot, env: { TERM: 'dumb' }, override }).run();
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('orange ls');
  });
});
