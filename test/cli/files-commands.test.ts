import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createHomeDoctor } from '../../src/cli/home-doctor.js';
import { openOffline } from '../../src/cli/open-offline.js';
import { readHome } from '../../src/cli/read-home.js';
import { failed, success } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';
import { SAMPLE_TEXT } from '../record/sample-task.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig, type CliRig } from './cli-rig.js';

const ID = 'V1StGXR8Z5jdHi6BmyT0a';
const EVENT = { type: 'task.created', timestamp: '2026-01-31T09:30:00Z', task_id: ID };

const PATH = { PATH: process.env['PATH'] };

/** Commands over a home on the real disk, without a daemon. */
function diskRig(text = SAMPLE_TEXT): CliRig & { readonly file: string } {
  const holder: { home: string } = { home: '' };
  const rig = cliRig({
    isDaemonUp: false,
    override: {
      snapshot: async () => {
        const home = await readHome({ files: createDiskFiles(), paths: createPaths(holder.home) });
        return home.ok ? success({ ...home.value, isUnsupervised: true }) : home;
      },
      doctor: createHomeDoctor({
        actor: 'human',
        runningClient: async () => success(null),
        client: async () => failed({ kind: 'daemon-unreachable', reason: 'ENOENT' }),
        openOffline: async () =>
          openOffline({ home: holder.home, env: PATH, pid: process.pid, version: '1.2.3' }),
      }),
    },
  });
  holder.home = rig.home;
  const directory = join(rig.home, 'tasks', 'orange', ID);
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'TASK.md');
  writeFileSync(file, text);
  writeFileSync(join(directory, 'history.jsonl'), `${JSON.stringify(EVENT)}\n`);
  return { ...rig, file };
}

describe('orange task show', () => {
  it('adds sections, history and dir to the JSON of list', async () => {
    const rig = diskRig();
    const shown = await rig.run('task', 'show', 'V1St', '--json');
    const listed = (await rig.run('ls', '--json')).rows();
    expect(shown.json()).toEqual({
      ...listed[0],
      blocks: [],
      referenced_by: [],
      sections: { Context: 'Why.' },
      history: [EVENT],
      last_screen: null,
      dir: join(rig.home, 'tasks', 'orange', ID),
    });
  });

  it('shows people the same', async () => {
    const ran = await diskRig().run('task', 'show', 'orange/dark-mode');
    expect(ran.stdout).toMatch(/orange\/dark-mode {2}Add a dark mode[^]*## Context\nWhy\./);
    expect(ran.stdout).toContain('task.created');
  });
});

describe('a task whose file is gone', () => {
  it('is shown as it was last known, with what is wrong', async () => {
    const problem = { code: 'ORA004', severity: 'error', file: '/t/TASK.md', line: 1 } as const;
    const problems = [{ ...problem, message: 'the file does not exist', fix: 'put it back' }];
    const rig = cliRig({ snapshot: snapshotOf([taskView({ problems })]) });
    const ran = await rig.run('task', 'show', 'abc0');
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/shop\/dark-mode[^]*the file does not exist/);
    expect(await rig.run('task', 'show', 'abc0', '--json')).toMatchObject({ exitCode: 0 });
    const sound = cliRig({ snapshot: snapshotOf([taskView()]) });
    expect((await sound.run('task', 'show', 'abc0')).exitCode).toBe(1);
  });
});

describe('tasks at work without a daemon', () => {
  const AT_WORK = SAMPLE_TEXT.replace(/^status: .*$/m, 'status: working');
  const NOTE = 'No daemon runs, so nobody looks after 1 task at work: orange daemon start\n';

  it.each([
    ['ls', '--all'],
    ['inbox', '--all'],
    ['task', 'show', 'V1St'],
  ])('are said to be looked after by nobody: %s %s', async (...words) => {
    const rig = diskRig(AT_WORK);
    expect((await rig.run(...words)).stderr).toContain(NOTE);
    expect((await rig.run(...words, '--json')).stderr).toBe('');
    expect((await diskRig().run(...words)).stderr).not.toContain('No daemon');
  });

  it('are a warning of the doctor', async () => {
    const found = (await diskRig(AT_WORK).run('doctor', '--json')).rows();
    expect(found.find(({ check }) => check === 'daemon')).toMatchObject({
      level: 'warn',
      message: 'not running, so nobody looks after 1 task at work',
      remedy: 'Start it: orange daemon start',
    });
  });

  it('are shown with the reviewer they will have, as with a daemon', async () => {
    const text = AT_WORK.replace(/^review_harness: .*$/m, 'review_harness: nowhere');
    expect((await diskRig(text).run('task', 'show', 'V1St')).stdout).toContain(
      'no agent review: nowhere is not installed',
    );
  });
});

describe('orange task log', () => {
  it('is the history, for people and programs', async () => {
    const rig = diskRig();
    expect((await rig.run('task', 'log', 'V1St', '--json')).json()).toEqual([EVENT]);
    expect((await rig.run('task', 'log', 'V1St')).stdout).toContain('2026-01-31 09:30:00');
  });
});

describe('orange validate', () => {
  it('checks the whole home, a directory, a file, a link and a task', async () => {
    const rig = diskRig();
    const link = join(rig.home, 'TASK.md');
    symlinkSync(rig.file, link);
    for (const words of [[], [rig.home], [rig.file], [link], ['V1St'], ['orange/dark-mode']]) {
      const ran = await rig.run('validate', ...words);
      expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('checked') });
    }
  });

  it('exits 1 when a file has an error, and says where', async () => {
    const rig = diskRig(SAMPLE_TEXT.replace('status: pending', 'status: flying'));
    const ran = await rig.run('validate');
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toMatch(/TASK\.md:7\n {2}error ORA/);
    const json = (await rig.run('validate', ID, '--json')).rows();
    expect(json[0]).toMatchObject({ severity: 'error', line: 7, file: rig.file });
  });

  it('knows that id and project must be those of the directories', async () => {
    const ran = await diskRig(SAMPLE_TEXT.replace('project: orange', 'project: other')).run(
      'validate',
    );
    expect(ran.exitCode).toBe(1);
  });
});

describe('orange log', () => {
  it('follows the link to the current file and takes the last lines', async () => {
    const rig = diskRig();
    const lines = ['a', 'b', 'c'].map((event, index) => JSON.stringify({ time: index, event }));
    writeFileSync(join(rig.home, 'orange.1.log'), `${lines.join('\n')}\n{"torn`);
    symlinkSync('orange.1.log', join(rig.home, 'orange.log'));
    const ran = await rig.run('log', '--lines', '2', '--json');
    expect(ran.json()).toEqual([
      { time: 1, event: 'b' },
      { time: 2, event: 'c' },
    ]);
    expect((await rig.run('log')).stdout.split('\n')).toHaveLength(4);
  });

  it('an empty log is no failure', async () => {
    expect(await diskRig().run('log', '--json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });
});

describe('orange doctor', () => {
  it('exits 1 on errors and names the remedy', async () => {
    const rig = diskRig('broken');
    const ran = await rig.run('doctor', '--json');
    expect(ran.exitCode).toBe(1);
    expect(ran.json()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        check: 'task-unreadable',
        message: expect.stringContaining(rig.file),
        remedy: expect.any(String),
        fixable: 'by-hand',
      }),
    );
  });

  it('notices a home that others may write', async () => {
    const rig = diskRig();
    chmodSync(rig.home, 0o777);
    const ran = await rig.run('doctor');
    expect(ran.stdout).toMatch(/error home .*mode 777[^]*chmod 700/);
  });

  it('does not call a home fine that others can look into', async () => {
    const rig = diskRig();
    chmodSync(rig.home, 0o755);
    const checks = (await rig.run('doctor', '--json'))
      .rows()
      .map(({ check, level }) => `${String(level)} ${String(check)}`);
    expect(checks).toContain('warn permissions');
    expect(checks).not.toContain('ok home');
  });

  it('refuses to mend unasked in a sentence, and knows what was meant', async () => {
    const rig = diskRig();
    chmodSync(rig.home, 0o755);
    const unasked = await rig.run('doctor', '--fix', 'permissions');
    expect(unasked.exitCode).toBe(1);
    expect(unasked.stderr).toMatch(
      /Will not mend this: others .* \(755\)[^]*give --yes to confirm/,
    );
    const mistyped = await rig.run('doctor', '--fix', 'task-withot-session');
    expect(mistyped.exitCode).toBe(2);
    expect(mistyped.stderr).toContain('Did you mean task-without-session?');
  });

  it('notices an agent that is gone and a worktree of nobody', async () => {
    const rig = diskRig(
      SAMPLE_TEXT.replace('status: pending', 'status: working')
        .replace('workspace: null', 'workspace: orange--1')
        .replace('tmux_session: null', 'tmux_session: orange/dark-mode'),
    );
    mkdirSync(join(rig.home, 'workspaces', 'stray'), { recursive: true });
    const ran = await rig.run('doctor');
    const words = ran.stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain('orange/dark-mode is working and no agent works on it');
    expect(words).toMatch(/warn worktree-without-task \S+stray belongs to no registered project/);
    expect(words).toMatch(/error worktree-missing \S+orange--1 of orange\/dark-mode is gone/);
    expect(ran.exitCode).toBe(1);
  });
});

describe('orange harness list', () => {
  it('says what is installed, the user’s own included', async () => {
    const rig = diskRig();
    writeFileSync(
      join(rig.home, 'config.yaml'),
      'harnesses:\n  mybot:\n    command: [/bin/sh, "{prompt}"]\n',
    );
    const rows = (await rig.run('harness', 'list', '--json')).rows();
    expect(rows).toContainEqual({
      name: 'mybot',
      program: '/bin/sh',
      path: '/bin/sh',
      installed: true,
      order: null,
    });
    expect(rows).toContainEqual(expect.objectContaining({ name: 'claude', order: 1 }));
    expect(rows).toContainEqual(expect.objectContaining({ name: 'demo', installed: true }));
  });
});
