import { describe, expect, it } from 'vitest';
import type { Request } from '../../src/domain/request.js';
import { success } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';
import { outcome } from '../fakes/fake-client.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig, type CliWorld } from './cli-rig.js';

const TASK = taskView();
const PENDING = taskView({
  fields: { id: 'pend1', branch: 'later', status: 'pending', workspace: null, tmux_session: null },
  session: 'inactive',
});
const DONE = taskView({
  fields: { id: 'done1', branch: 'gone', status: 'done', workspace: null, tmux_session: null },
  session: 'inactive',
});
const READY = taskView({ fields: { id: 'redy1', branch: 'ready', status: 'reviewing' } });
const OTHER = taskView({ fields: { id: 'othr1', project: 'site', branch: 'home' } });
const snapshot = snapshotOf([TASK, PENDING, DONE, OTHER], [projectView(), projectView('site')]);

/** The request that a command line leads to. */
async function requestOf(words: readonly string[], world: CliWorld = {}): Promise<Request> {
  const rig = cliRig({ snapshot, ...world });
  const ran = await rig.run(...words);
  expect(ran).toMatchObject({ exitCode: 0 });
  const [sent] = rig.client.requests;
  if (sent === undefined) throw new Error('nothing was sent');
  return sent.request;
}

describe('requests', () => {
  const ID = TASK.fields.id;
  const ROWS: readonly (readonly [string, object])[] = [
    ['spawn pend1', { kind: 'task.spawn', taskId: 'pend1', force: false }],
    ['task spawn pend1 --force', { kind: 'task.spawn', taskId: 'pend1', force: true }],
    ['task respawn abc0', { kind: 'task.respawn', taskId: ID }],
    ['task send abc0 hello', { kind: 'task.send', taskId: ID, text: 'hello' }],
    [
      'task request-changes abc0 -m tidy',
      { kind: 'task.request-changes', taskId: ID, text: 'tidy' },
    ],
    ['task review abc0 --pass', { kind: 'task.review', taskId: ID, verdict: 'PASS', text: '' }],
    [
      'task review abc0 --fail -m no',
      { kind: 'task.review', taskId: ID, verdict: 'FAIL', text: 'no' },
    ],
    ['cancel abc0 --yes', { kind: 'task.cancel', taskId: ID, reason: null }],
    ['task cancel abc0 -y --reason no', { kind: 'task.cancel', taskId: ID, reason: 'no' }],
    ['task delete done1 --yes', { kind: 'task.delete', taskId: 'done1' }],
    ['task reopen done1', { kind: 'task.reopen', taskId: 'done1', summary: null }],
    [
      'task merge redy1 --yes',
      { kind: 'task.merge', taskId: 'redy1', strategy: null, push: null, message: null },
    ],
    [
      'task merge redy1 --yes --strategy ff --push -m x',
      { kind: 'task.merge', taskId: 'redy1', strategy: 'ff', push: true, message: 'x' },
    ],
    [
      'task merge redy1 --yes --no-push',
      { kind: 'task.merge', taskId: 'redy1', strategy: null, push: false, message: null },
    ],
    [
      'task update abc0 --status agent-review',
      { kind: 'task.update', taskId: ID, status: 'agent-review' },
    ],
    [
      'task update shop/dark-mode --branch new --summary s --harness codex --review-harness pi',
      {
        kind: 'task.update',
        taskId: ID,
        branch: 'new',
        summary: 's',
        harness: 'codex',
        reviewHarness: 'pi',
      },
    ],
    [
      'task update abc0 --priority high --tag a,b --tag c --blocked-by shop/later --hold later',
      {
        kind: 'task.update',
        taskId: ID,
        extensions: {
          priority: 'high',
          tags: ['a', 'b', 'c'],
          blocked_by: ['pend1'],
          hold: 'later',
        },
      },
    ],
    [
      'task update abc0 --priority medium --queue active --weight medium --category feature',
      {
        kind: 'task.update',
        taskId: ID,
        extensions: { priority: null, queue: null, weight: null, category: null },
      },
    ],
    [
      'project add /repos/x --name x --default-branch dev --pool-size 3',
      { kind: 'project.add', path: '/repos/x', name: 'x', defaultBranch: 'dev', poolSize: 3 },
    ],
    [
      'project update shop --pool-size 3',
      { kind: 'project.update', name: 'shop', path: null, defaultBranch: null, poolSize: 3 },
    ],
    ['project remove shop --yes', { kind: 'project.remove', name: 'shop' }],
    ['project trust shop', { kind: 'project.trust', name: 'shop' }],
    ['workspace init --project shop', { kind: 'workspace.init', project: 'shop' }],
    ['workspace gc', { kind: 'workspace.gc', project: null }],
    ['workspace gc --project site', { kind: 'workspace.gc', project: 'site' }],
  ];

  it.each(ROWS)('orange %s', async (line, request) => {
    const world = { snapshot: { ...snapshot, tasks: [...snapshot.tasks, READY] } };
    expect(await requestOf(line.split(' '), world)).toEqual(request);
  });

  it('an empty text takes a value away', async () => {
    const words = ['task', 'update', 'abc0', '--hold', '', '--tag', '', '--base', ''];
    expect(await requestOf(words)).toMatchObject({
      extensions: { hold: null, tags: null, base: null },
    });
  });

  it('gc is about the project of the directory it is called in', async () => {
    expect(await requestOf(['workspace', 'gc'], { cwd: '/repos/shop' })).toMatchObject({
      project: 'shop',
    });
  });

  it('relative paths are taken from where the person stands', async () => {
    expect(await requestOf(['project', 'add', '../x'], { cwd: '/a/b' })).toMatchObject({
      path: '/a/x',
    });
    expect(await requestOf(['project', 'add'], { cwd: '/a/b' })).toMatchObject({ path: '/a/b' });
  });

  it('a text may come from standard input', async () => {
    const world = { stdin: 'line one\r\nline two\n' };
    expect(await requestOf(['task', 'send', 'abc0', '-'], world)).toMatchObject({
      text: 'line one\nline two',
    });
    expect(await requestOf(['task', 'review', '--fail', 'abc0', '-'], world)).toMatchObject({
      text: 'line one\nline two',
    });
  });

  it('a lone dash after review is the text when the directory names the task', async () => {
    const world = { stdin: 'fix it', env: { ORANGE_TASK_ID: 'abc0' } };
    expect(await requestOf(['task', 'review', '--fail', '-'], world)).toMatchObject({
      taskId: ID,
      text: 'fix it',
    });
  });

  it("--branch without a name means the branch in the task's own worktree", async () => {
    const repositories = {
      listWorktrees: async () =>
        success([
          { path: '/repos/shop', branch: 'main' },
          { path: '/h/workspaces/shop--1', branch: 'mine' },
        ]),
    };
    const override = { paths: createPaths('/h') };
    const world = { cwd: '/h/workspaces/shop--1/src', repositories, override };
    expect(await requestOf(['task', 'update', 'abc0', '--branch'], world)).toMatchObject({
      branch: 'mine',
    });
  });

  it('whoever has ORANGE_ROLE set asks as an agent', async () => {
    const rig = cliRig({ snapshot, env: { ORANGE_ROLE: 'worker', ORANGE_TASK_ID: ID } });
    await rig.run('task', 'update', '--status', 'agent-review');
    expect(rig.client.requests[0]).toMatchObject({ actor: 'agent', request: { taskId: ID } });
  });
});

describe('orange task create', () => {
  it('sends everything that was said', async () => {
    const words = ['task', 'create', 'fix/x', 'Fix it', '--project', 'shop', '--no-spawn'];
    const more = ['--context', '-', '--base', 'dev', '--model', 'm', '--priority', 'normal'];
    expect(await requestOf([...words, ...more], { stdin: 'Do this.' })).toEqual({
      kind: 'task.create',
      project: 'shop',
      branch: 'fix/x',
      summary: 'Fix it',
      harness: null,
      reviewHarness: null,
      context: 'Do this.',
      status: 'pending',
      extensions: { base: 'dev', model: 'm', hold: 'not spawned' },
    });
  });

  it('needs nothing but a project', async () => {
    expect(await requestOf(['task', 'create'], { cwd: '/repos/site/src' })).toMatchObject({
      project: 'site',
      branch: null,
      summary: '',
      extensions: {},
    });
  });

  it('registers the repository first when nobody has, and says so', async () => {
    const facts = {
      root: '/repos/new',
      isBare: false,
      defaultBranch: 'main',
      hasCommits: true,
      remote: null,
    };
    const rig = cliRig({
      snapshot: snapshotOf([TASK], []),
      cwd: '/repos/new/src',
      repositories: { inspect: async () => success(facts) },
      answer: () => outcome({ task: TASK, project: projectView('new') }),
    });
    const ran = await rig.run('task', 'create', 'b');
    expect(ran.exitCode).toBe(0);
    expect(rig.client.requests.map(({ request }) => request)).toMatchObject([
      { kind: 'project.add', path: '/repos/new' },
      { kind: 'task.create', project: 'new' },
    ]);
    expect(ran.stderr).toContain('Registered project new (/repos/new).');
  });

  it('knows a project from a worktree that the person made', async () => {
    const facts = {
      root: '/repos/shop',
      isBare: false,
      defaultBranch: 'main',
      hasCommits: true,
      remote: null,
    };
    const world = {
      cwd: '/tmp/my-worktree',
      repositories: { inspect: async () => success(facts) },
    };
    expect(await requestOf(['task', 'create'], world)).toMatchObject({ project: 'shop' });
  });

  it('prints the object that list prints', async () => {
    const rig = cliRig({ snapshot: snapshotOf([TASK]) });
    const created = await rig.run('task', 'create', '--project', 'shop', '--json');
    const listed = await rig.run('task', 'list', '--all', '--json');
    expect(created.json()).toEqual(listed.rows()[0]);
    expect(created.json()).toMatchObject({ id: TASK.fields.id, session: 'active' });
  });

  it('refuses an empty branch', async () => {
    const ran = await cliRig({ snapshot }).run('task', 'create', '', '--project', 'shop');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('cannot be a branch');
  });
});

async function ids(words: readonly string[], world: CliWorld = {}): Promise<readonly unknown[]> {
  const ran = await cliRig({ snapshot, ...world }).run(...words, '--json');
  return ran.rows().map((row) => row['id']);
}

describe('orange task list', () => {
  const [A, B, C, D] = [TASK.fields.id, 'pend1', 'done1', 'othr1'];

  it('shows the open tasks of this project', async () => {
    expect(await ids(['task', 'list'], { cwd: '/repos/shop' })).toEqual([A, B]);
  });

  it('shows the open tasks of every project where there is none', async () => {
    expect(await ids(['ls'])).toEqual([A, B, D]);
  });

  it('--all shows every project and what is over', async () => {
    expect(await ids(['ls', '--all'], { cwd: '/repos/shop' })).toEqual([A, C, B, D]);
  });

  it('--status takes several, also terminal ones', async () => {
    expect(await ids(['ls', '--status', 'done,pending', '-s', 'stuck'])).toEqual([C, B]);
  });

  it('--project names another one', async () => {
    expect(await ids(['ls', '--project', 'site'], { cwd: '/repos/shop' })).toEqual([D]);
  });

  it('mentions files that nobody can read', async () => {
    const problem = {
      code: 'ORA004',
      severity: 'error',
      file: '/x/TASK.md',
      line: 1,
      message: 'gone',
      fix: '',
    } as const;
    const ran = await cliRig({ snapshot: { ...snapshot, problems: [problem] } }).run('ls');
    expect(ran.stderr).toContain('1 file needs attention: orange validate');
  });
});

describe('confirmation', () => {
  it('y goes on, anything else does not', async () => {
    const yes = cliRig({ snapshot, says: 'y' });
    expect((await yes.run('cancel', 'abc0')).exitCode).toBe(0);
    expect(yes.client.requests).toHaveLength(1);
    for (const says of ['n', '', 'yo']) {
      const no = cliRig({ snapshot, says });
      const ran = await no.run('cancel', 'abc0');
      expect(ran).toMatchObject({ exitCode: 1, stderr: 'Nothing was done.\n' });
      expect(no.client.requests).toHaveLength(0);
    }
  });
});

describe('the daemon', () => {
  it('not running is an answer, not a failure', async () => {
    const ran = await cliRig({ isDaemonUp: false }).run('daemon', 'status', '--json');
    expect(ran.exitCode).toBe(0);
    expect(ran.json()).toMatchObject({ running: false });
  });

  it('status has the keys that scripts rely on', async () => {
    const ran = await cliRig().run('daemon', 'status', '--json');
    expect([...ran.stdout.matchAll(/^ {2}"(\w+)"/gm)].map((match) => match[1])).toEqual(
      'running pid uptime_s version socket home tasks sessions rss_bytes sources'.split(' '),
    );
  });

  it('F74 of an older version is remarked on by whoever asks how it is', async () => {
    const rig = cliRig({ override: { version: '0.2.0' } });
    const remark = 'orange 0.0.0 is older than this one (0.2.0)';
    expect((await rig.run('daemon', 'status')).stdout).toContain(remark);
    const findings = (await rig.run('doctor', '--json')).rows();
    expect(findings).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        check: 'daemon',
        message: expect.stringContaining(remark),
        remedy: expect.stringContaining('orange daemon restart'),
      }),
    );
    expect((await cliRig().run('daemon', 'status')).stdout).not.toContain('older');
  });

  it('is stopped, or was not there', async () => {
    const up = cliRig();
    expect((await up.run('daemon', 'stop', '--json')).json()).toEqual({
      running: false,
      was_running: true,
    });
    expect(up.client.calls).toContain('stop');
    const down = await cliRig({ isDaemonUp: false }).run('daemon', 'stop');
    expect(down).toMatchObject({ exitCode: 0, stdout: 'The daemon was not running.\n' });
  });

  it('a daemon of another version is ended by signal', async () => {
    const ended: number[] = [];
    const mismatch = {
      ok: false,
      failure: { kind: 'protocol-mismatch', ours: 1, theirs: 2, theirVersion: '9', pid: 77 },
    } as const;
    const rig = cliRig({
      override: { runningClient: async () => mismatch, endProcess: (pid) => ended.push(pid) },
    });
    expect((await rig.run('daemon', 'stop')).exitCode).toBe(0);
    expect(ended).toEqual([77]);
  });

  it.each<[string, NodeJS.Signals, readonly string[]]>([
    ['asked to end', 'SIGCONT', ['SIGTERM', 'SIGCONT']],
    ['killed when it does not', 'SIGKILL', ['SIGTERM', 'SIGCONT', 'SIGKILL']],
  ])('F76 one that does not answer is %s, and that is said', async (_, fatal, expected) => {
    const signals: string[] = [];
    let nowMs = 0;
    const holder = {
      pid: 78,
      isAlive: () => !signals.includes(fatal),
      signal: (signal: NodeJS.Signals) => void signals.push(signal),
    };
    const rig = cliRig({
      isDaemonUp: false,
      override: {
        daemonHolder: async () => (holder.isAlive() ? holder : null),
        nowMs: () => nowMs,
        delay: async (ms) => void (nowMs += ms),
      },
    });
    const ran = await rig.run('daemon', 'stop');
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('has stopped') });
    expect(ran.stderr).toContain('pid 78');
    expect(signals).toEqual(expected);
  });
});
