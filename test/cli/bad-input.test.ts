import { describe, expect, it } from 'vitest';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

type Row = readonly [line: string, exitCode: number, message: RegExp];

// A line of words, its exit code, and what stderr says.
const ROWS: readonly Row[] = [
  ['lss', 2, /Unknown command 'lss'[^]*Did you mean ls\?/],
  ['frobnicate', 2, /Unknown command 'frobnicate'/],
  ['--frob', 2, /Unknown option '--frob'/],
  ['task creat', 2, /Unknown command 'creat'[^]*Did you mean create\?/],
  ['task list --stats working', 2, /Unknown option '--stats'[^]*Did you mean --status\?/],
  ['task list extra', 2, /Too many arguments/],
  ['task list --status nope', 2, /'nope' is invalid[^]*pending, planning/],
  ['task list --project nope', 3, /no project named "nope"/],
  ['task show', 2, /Invalid task: none is named/],
  ['task show zzzz', 3, /no task named "zzzz"/],
  ['task show abc', 3, /Did you mean abc0000000000000000001/],
  ['task show dark-mode', 3, /Did you mean shop\/dark-mode/],
  ['task update abc0', 2, /at least one thing to change/],
  ['task update abc0 --status flying', 2, /'flying' is invalid/],
  ['task update abc0 --blocked-by zzzz', 3, /no task named "zzzz"/],
  ['task update --status', 2, /argument missing/],
  ['doctor --fix --yes', 2, /'--fix <class>' argument missing/],
  ['task create --status working --project shop', 2, /'working' is invalid/],
  ['task create --priority urgent --project shop', 2, /'urgent' is invalid/],
  ['task create a b c --project shop', 2, /Too many arguments/],
  ['task create', 1, /not inside a git repository[^]*name a project with --project NAME/],
  ['task send abc0', 2, /Missing required argument 'text'/],
  ['task review abc0', 2, /exactly one of --pass and --fail/],
  ['task review abc0 --pass --fail', 2, /exactly one of --pass and --fail/],
  ['task wait abc0', 2, /Required option '-s, --status <list>'/],
  ['task wait abc0 --status done --timeout soon', 2, /It must be a number of seconds/],
  [
    'task wait abc0 --status done --timeout 0',
    4,
    /is still working after 0 seconds; waited for done/,
  ],
  ['task merge abc0 --strategy octopus', 2, /'octopus' is invalid/],
  ['task merge abc0', 1, /Cannot merge shop\/dark-mode: it is working/],
  ['task merge stuck1', 1, /Cannot merge shop\/mud[^]*task update shop\/mud --status reviewing/],
  ['task merge ready', 1, /Will not merge shop\/ready[^]*--yes/],
  ['task cancel abc0', 1, /Will not cancel shop\/dark-mode[^]*--yes/],
  ['cancel abc0', 1, /--yes/],
  ['cancel over1', 1, /Cannot cancel shop\/over: it is (done|cancelled)/],
  ['task delete abc0', 1, /Cannot delete shop\/dark-mode: it is working/],
  ['task delete over1', 1, /Will not delete shop\/over[^]*--yes/],
  ['task delete', 2, /Missing required argument 'task'/],
  ['task attach other', 1, /No agent of task shop\/other runs/],
  ['task attach abc0', 1, /must be a terminal/],
  ['project add --pool-size 0', 2, /whole number from 1 to 1000/],
  ['project update shop', 2, /at least one of --path/],
  ['project remove shop', 1, /--yes/],
  ['project remove shpo --yes', 3, /Did you mean shop\?/],
  ['workspace init', 2, /Invalid project: none is named/],
  ['workspace gc --project nope', 3, /no project named "nope"/],
  ['log --lines many', 2, /whole number/],
  ['validate /no/such/file', 3, /no file and no task named/],
  ['', 1, /Cannot open the dashboard[^]*orange ls/],
];

describe('a command line that is wrong', () => {
  const snapshot = snapshotOf([
    taskView(),
    taskView({ fields: { id: 'other', branch: 'other' }, session: 'crashed' }),
    taskView({ fields: { id: 'ready', branch: 'ready', status: 'reviewing' } }),
    taskView({ fields: { id: 'stuck1', branch: 'mud', status: 'stuck' } }),
    taskView({ fields: { id: 'over1', branch: 'over', status: 'done' }, session: 'inactive' }),
  ]);

  it.each(ROWS)('orange %s → %i', async (line, exitCode, message) => {
    const ran = await cliRig({ snapshot }).run(...words(line));
    expect(ran.stderr).toMatch(message);
    expect(ran.stdout).toBe('');
    expect(ran.exitCode).toBe(exitCode);
  });

  it.each(ROWS.filter(([line]) => line !== ''))(
    'orange %s --json → %i, told in JSON on stdout',
    async (line, exitCode) => {
      const ran = await cliRig({ snapshot }).run(...words(line), '--json');
      // Attaching is described instead of done when nobody looks at a terminal.
      if (line === 'task attach abc0') return expect(ran.exitCode).toBe(0);
      expect(ran.json()).toEqual({
        error: { code: expect.any(String), message: expect.any(String), hint: expectHint() },
      });
      expect(ran.stderr).toBe('');
      // `--status --json`: the flag is taken for the value.
      expect(ran.exitCode).toBe(exitCode);
    },
  );

  it('a group without a command explains itself', async () => {
    const ran = await cliRig().run('task');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('Usage: orange task');
  });

  it('an exception is a bug: 70, with a hint to the log', async () => {
    const rig = cliRig({
      override: {
        snapshot: () => {
          throw new TypeError('x is not a function');
        },
      },
    });
    const human = await rig.run('ls');
    expect(human.exitCode).toBe(70);
    expect(human.stderr).toMatch(/bug in orange: x is not a function[^]*orange log/);
    const json = await rig.run('ls', '--json');
    expect(json.exitCode).toBe(70);
    expect(json.json()).toMatchObject({ error: { code: 'internal' } });
  });
});

describe('words that are no options', () => {
  it('everything after -- is an argument', async () => {
    const rig = cliRig({ snapshot: snapshotOf([taskView()]) });
    const ran = await rig.run('task', 'send', 'abc0', '--', '--json');
    expect(ran.exitCode).toBe(0);
    expect(rig.client.requests[0]?.request).toMatchObject({ kind: 'task.send', text: '--json' });
    expect(ran.stdout).toContain('Sent to shop/dark-mode');
  });

  it('an unknown flag after -- does not ask for JSON', async () => {
    const ran = await cliRig().run('nonsense', '--', '--json');
    expect(ran.stdout).toBe('');
    expect(ran.exitCode).toBe(2);
  });
});

describe('help and version', () => {
  it('prints the version', async () => {
    const ran = await cliRig().run('--version');
    expect(ran).toMatchObject({ exitCode: 0, stdout: '1.2.3\n' });
  });

  it('prints help on stdout when it is asked for', async () => {
    for (const asked of [['--help'], ['help'], ['task', 'create', '--help'], ['help', 'task']]) {
      const ran = await cliRig().run(...asked);
      expect(ran.exitCode).toBe(0);
      expect(ran.stdout).toContain('Usage: orange');
    }
  });
});

function words(line: string): readonly string[] {
  return line === '' ? [] : line.split(' ');
}

function expectHint(): unknown {
  return expect.toSatisfy((hint: unknown) => hint === null || typeof hint === 'string');
}
