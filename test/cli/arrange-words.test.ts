import { describe, expect, it } from 'vitest';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const TASK = taskView();
const DONE = taskView({ fields: { id: 'done1', branch: 'gone', status: 'done' } });
const OTHER = taskView({ fields: { id: 'othr1', project: 'site', branch: 'home' } });
const snapshot = snapshotOf([TASK, DONE, OTHER], [projectView(), projectView('site')]);

function run(line: string) {
  return cliRig({ snapshot }).run(...line.split(' '));
}

describe('options before the command', () => {
  it.each([
    ['-p site ls --json', ['othr1']],
    ['--project site --json ls', ['othr1']],
    ['--project=site --json task list', ['othr1']],
    ['-psite task --json list', ['othr1']],
    ['--json --all ls', [TASK.fields.id, 'done1', 'othr1']],
    ['-a --json ls', [TASK.fields.id, 'done1', 'othr1']],
    ['-p shop ls --json -p site', ['othr1']],
  ])('orange %s', async (line, ids) => {
    const ran = await run(line);
    expect(ran.exitCode).toBe(0);
    expect(
      ran
        .rows()
        .map((row) => String(row['id']))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(ids.toSorted((a, b) => a.localeCompare(b)));
  });

  it.each([
    ['--json task show zzzz', 3],
    ['--json task', 2],
    ['--json task nosuch', 2],
    ['--json nosuch', 2],
    ['--json', 1],
    ['--all task show abc0 --json', 2],
    ['-p shop task show abc0 --json', 2],
    ['--json task create a b c', 2],
    ['--json help nosuch', 2],
  ])('orange %s → %i in JSON', async (line, exitCode) => {
    const ran = await run(line);
    expect(ran.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect(ran.stderr).toBe('');
    expect(ran.exitCode).toBe(exitCode);
  });

  it('a value that looks like a command stays a value', async () => {
    const ran = await run('-p ls ls');
    expect(ran).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('project named "ls"'),
    });
  });

  it('what a command does not have is wrong usage', async () => {
    const ran = await run('--all task show abc0');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("Unknown option '--all'");
  });
});

describe('help', () => {
  it('of a command of a group', async () => {
    expect((await run('help task create')).stdout).toContain('Usage: orange task create');
    expect((await run('help ls')).stdout).toContain('Usage: orange ls');
    expect((await run('help')).stdout).toContain('Usage: orange [');
  });

  it('of what does not exist is wrong usage', async () => {
    expect(await run('help task creat')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean create?'),
    });
  });

  it.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
    expect(await run(flag)).toMatchObject({ exitCode: 0, stdout: '1.2.3\n' });
  });
});

describe('a usage error', () => {
  it('points to the help of its command', async () => {
    expect((await run('task list extra')).stderr).toContain('See: orange task list --help');
    expect((await run('task wait abc0')).stderr).toContain('See: orange task wait --help');
    expect((await run('--frob')).stderr).toContain('See: orange --help');
  });

  it('says to quote a summary of several words', async () => {
    const ran = await run('task create fix Fix the login');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('Put the summary in quotes');
  });
});
