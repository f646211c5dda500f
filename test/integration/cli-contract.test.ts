import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'idle' } } };
const FIELDS = [
  'id',
  'project',
  'branch',
  'harness',
  'review_harness',
  'status',
  'review_round',
  'crash_count',
  'summary',
  'workspace',
  'tmux_session',
  'pr_url',
  'created_at',
  'updated_at',
];

type Task = {
  id: string;
  project: string;
  status: string;
  session: string;
  [key: string]: unknown;
};
type Refusal = { error: { code: string; message: string; hint: string | null } };

describe('the command line', () => {
  it('gives each kind of ending its exit code and, with --json, an error object', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('codes', 'x', ...PLAIN);
    const cases: readonly (readonly [number, string, readonly string[]])[] = [
      [1, 'move-refused', ['task', 'update', id, '--status', 'agent-review']],
      [1, 'wrong-status', ['task', 'merge', id, '--yes']],
      [1, 'needs-confirmation', ['task', 'cancel', id]],
      [1, 'needs-confirmation', ['project', 'remove', 'shop']],
      [2, 'usage', ['task', 'show', '--no-such-option']],
      [2, 'usage', ['nonsense']],
      [2, 'usage', ['task', 'update', id, '--status', 'shipped']],
      [2, 'usage', ['task', 'wait', id, '--status', 'done', '--timeout', 'soon']],
      [3, 'not-found', ['task', 'show', 'zzzz']],
      [3, 'not-found', ['task', 'show', 'shop/none']],
      [3, 'not-found', ['task', 'list', '--project', 'none']],
      [3, 'harness-unknown', ['task', 'create', 'x', 'y', '--harness', 'none']],
      [
        4,
        'waited-too-long',
        ['task', 'wait', id, '--status', 'done,reviewing', '--timeout', '0.2'],
      ],
    ];
    for (const [code, name, args] of cases) {
      const answer = await rig.orange(...args, '--json');
      const what = args.join(' ');
      expect([what, answer.code]).toEqual([what, code]);
      const { error } = answer.json<Refusal>();
      expect([what, error.code]).toEqual([what, name]);
      expect(error.message).not.toBe('');
      expect(Object.keys(error)).toEqual(['code', 'message', 'hint']);
      expect(answer.stderr).toBe('');
      const human = await rig.orange(...args);
      expect([what, human.code, human.stdout]).toEqual([what, code, '']);
      expect(human.stderr).toMatch(/^orange: /m);
    }
    expect(rig.field(id, 'status')).toBe('planning');
  });

  it('prints a task as the fourteen fields, what is set, and its session', async () => {
    await using rig = await createRig(IDLE);
    const made = await rig.must(
      'task',
      'create',
      'shape',
      'Shape',
      ...PLAIN,
      '--priority',
      'high',
      '--tag',
      'a',
      '--context',
      'Why',
      '--json',
    );
    const task = made.json<Task>();
    expect(Object.keys(task)).toEqual([...FIELDS, 'priority', 'tags', 'session']);
    expect(task).toMatchObject({
      priority: 'high',
      tags: ['a'],
      session: 'active',
      review_round: 0,
      pr_url: null,
    });
    const [listed] = (await rig.must('task', 'list', '--json')).json<Task[]>();
    expect(listed).toEqual(task);
    expect((await rig.must('ls', '--json')).json()).toEqual([listed]);
    const shown = (await rig.must('task', 'show', task.id, '--json')).json<
      Task & { history: unknown[] }
    >();
    expect(shown).toMatchObject({
      ...task,
      sections: { Context: expect.stringContaining('Why') },
      dir: rig.taskDir(task.id),
    });
    expect(shown.history.length).toBe(rig.history(task.id).length);
    const waited = await rig.must('task', 'wait', task.id, '--status', 'planning', '--json');
    expect(waited.json()).toMatchObject({ id: task.id, status: 'planning' });
  });

  it('finds a task by prefix, by project/branch, by the worktree and by ORANGE_TASK_ID', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('some/where', 'x', ...PLAIN);
    for (const name of [id, id.slice(0, 4), 'shop/some/where']) {
      expect((await rig.must('task', 'show', name, '--json')).json()).toMatchObject({ id });
    }
    expect((await rig.orange('task', 'show', id.slice(0, 3))).code).toBe(3);
    const here = await rig.run(['task', 'show', '--json'], { cwd: rig.workspace() });
    expect(here.json()).toMatchObject({ id });
    const told = await rig.run(['task', 'show', '--json'], {
      cwd: rig.root,
      env: { ORANGE_TASK_ID: id },
    });
    expect(told.json()).toMatchObject({ id });
    expect((await rig.run(['task', 'show', '--json'], { cwd: rig.root })).code).toBe(2);
    const inWorktree = await rig.run(['task', 'list', '--json'], { cwd: rig.workspace() });
    expect(inWorktree.json()).toMatchObject([{ id }]);
  });

  it('speaks JSON in every command', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('talks', 'x', ...PLAIN);
    const commands = [
      ['project', 'list'],
      ['project', 'update', 'shop', '--pool-size', '1'],
      ['task', 'log', id],
      ['task', 'diff', id],
      ['task', 'attach', id],
      ['task', 'respawn', id],
      ['task', 'update', id, '--summary', 'y'],
      ['workspace', 'list'],
      ['workspace', 'gc'],
      ['next'],
      ['log'],
      ['harness', 'list'],
      ['daemon', 'start'],
      ['task', 'cancel', id, '--yes'],
      ['daemon', 'stop'],
    ];
    for (const command of commands) {
      const answer = await rig.must(...command, '--json');
      expect([command, typeof answer.json(), answer.stderr]).toEqual([command, 'object', '']);
    }
    const dashboard = await rig.orange('--json');
    expect(dashboard.code).toBe(1);
    expect(dashboard.json<Refusal>().error.code).toBe('not-a-terminal');
  });

  it('keeps a task back with --no-spawn until it is spawned', async () => {
    await using rig = await createRig(IDLE);
    const made = await rig.must('task', 'create', 'later', 'x', ...PLAIN, '--no-spawn', '--json');
    const { id } = made.json<Task>();
    expect(made.json()).toMatchObject({
      status: 'pending',
      hold: 'not spawned',
      session: 'inactive',
      workspace: null,
    });
    expect((await rig.must('next', '--explain', '--json')).json()).toMatchObject([
      { id, reasons: [{ code: 'held' }] },
    ]);
    const spawned = await rig.must('spawn', id, '--json');
    expect(spawned.json()).toMatchObject({ status: 'planning', session: 'active' });
    expect(spawned.json()).not.toHaveProperty('hold');
    expect((await rig.orange('task', 'spawn', id)).code).toBe(1);
  });

  it('registers a repository that nobody has registered, and says so', async () => {
    await using rig = await createRig(IDLE);
    const other = rig.makeRepository('Other Thing');
    const made = await rig.run(['task', 'create', 'first', 'x', ...PLAIN, '--no-spawn'], {
      cwd: join(other),
    });
    expect(made.code).toBe(0);
    expect(made.stderr).toMatch(/register/i);
    const projects = JSON.parse(rig.read(join(rig.home, 'projects.json')));
    expect(projects).toHaveLength(2);
    expect(projects[1]).toMatchObject({ path: other, default_branch: 'main' });
    const nowhere = await rig.run(['task', 'create', 'x', 'y', ...PLAIN, '--json'], {
      cwd: rig.root,
    });
    expect(nowhere.code).toBeGreaterThan(0);
    expect(nowhere.json<Refusal>().error.message).not.toBe('');
  });

  it('adds, changes and removes projects, but none that has live tasks', async () => {
    await using rig = await createRig(IDLE);
    const other = rig.makeRepository('second');
    const added = await rig.must('project', 'add', other, '--pool-size', '3', '--json');
    expect(added.json()).toMatchObject({
      name: 'second',
      path: other,
      default_branch: 'main',
      pool_size: 3,
    });
    expect((await rig.orange('project', 'add', other)).code).toBe(1);
    await rig.must('project', 'update', 'second', '--pool-size', '1');
    expect((await rig.must('project', 'list', '--json')).json()).toMatchObject([
      { name: 'shop' },
      { name: 'second', pool_size: 1 },
    ]);
    const id = await rig.create('live', 'x', ...PLAIN);
    const refused = await rig.orange('project', 'remove', 'shop', '--yes', '--json');
    expect(refused.code).toBe(1);
    expect(refused.json<Refusal>().error.code).toBe('project-in-use');
    await rig.must('task', 'cancel', id, '--yes');
    await rig.must('project', 'remove', 'shop', '--yes');
    await rig.must('project', 'remove', 'second', '--yes');
    expect((await rig.must('project', 'list', '--json')).json()).toEqual([]);
    expect(rig.git(other, 'status', '--porcelain')).toBe('');
  });

  it('reopens what is over as a new, related task, and deletes it only then', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('over', 'Once more', ...PLAIN, '--context', 'Because');
    expect((await rig.orange('task', 'reopen', id)).code).toBe(1);
    expect((await rig.orange('task', 'delete', id, '--yes')).code).toBe(1);
    await rig.must('task', 'cancel', id, '--yes', '--reason', 'no time');
    expect(rig.history(id).find(({ to }) => to === 'cancelled')).toMatchObject({
      from: 'planning',
      reason: 'no time',
    });
    for (const status of ['pending', 'planning', 'working', 'done']) {
      expect((await rig.orange('task', 'update', id, '--status', status)).code).toBe(1);
    }
    const again = (await rig.must('task', 'reopen', id, '--json')).json<Task>();
    expect(again).toMatchObject({ summary: 'Once more', related_to: [id], project: 'shop' });
    expect(again.id).not.toBe(id);
    expect(rig.read(rig.taskFile(again.id))).toContain('Because');
    expect(rig.field(id, 'status')).toBe('cancelled');
    expect((await rig.must('task', 'delete', id, '--yes', '--json')).json()).toEqual({
      id,
      deleted: true,
    });
    expect((await rig.orange('task', 'show', id)).code).toBe(3);
    expect(
      (await rig.must('task', 'list', '--all', '--json')).json<Task[]>().map((task) => task.id),
    ).toEqual([again.id]);
  });
});
