import { describe, expect, it } from 'vitest';
import type { CreateTask } from '../../src/domain/request.js';
import type { World } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { creationOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

const NEW_ID = 'newTask0000000000000a';

function create(world: World, parts: Partial<CreateTask> = {}) {
  const request: CreateTask = {
    kind: 'task.create',
    project: 'shop',
    branch: null,
    summary: '',
    harness: null,
    reviewHarness: null,
    context: null,
    status: 'pending',
    extensions: {},
    ...parts,
  };
  return decide(world, { kind: 'request', request, actor: 'human', newId: NEW_ID }, momentAt());
}

function reopen(world: World, taskId: string, summary: string | null = null) {
  const request = { kind: 'task.reopen', taskId, summary } as const;
  return decide(world, { kind: 'request', request, actor: 'human', newId: NEW_ID }, momentAt());
}

describe('task create', () => {
  it('ORA-25 ORA-26 ORA-27 ORA-28 ORA-29 ORA-30 ORA-31 ORA-32 ORA-33 ORA-34 ORA-35 ORA-36 lays a task out with the fourteen fields at their defaults', () => {
    const decision = create(buildWorld());
    expect(creationOf(decision).fields).toEqual({
      id: NEW_ID,
      project: 'shop',
      branch: `orange-tasks/${NEW_ID}`,
      harness: 'claude',
      review_harness: 'claude',
      status: 'pending',
      review_round: 0,
      crash_count: 0,
      summary: '',
      workspace: null,
      tmux_session: null,
      pr_url: null,
      created_at: momentAt().timestamp,
      updated_at: momentAt().timestamp,
    });
    expect(creationOf(decision)).toMatchObject({ extensions: {}, sections: [] });
    expect(decision).toMatchObject({ effects: [], failure: null, taskId: NEW_ID });
  });

  it('ORA-82 leaves task.created with its id, project and branch, and how it began', () => {
    const { events } = creationOf(create(buildWorld(), { branch: 'dark-mode' }));
    const created = {
      type: 'task.created',
      task_id: NEW_ID,
      project: 'shop',
      branch: 'dark-mode',
      harness: 'claude',
      review_harness: 'claude',
    };
    expect(events).toEqual([{ ...created, status: 'pending' }]);
    const reviewed = create(buildWorld(), { branch: 'dark-mode', status: 'agent-review' });
    expect(creationOf(reviewed).events).toEqual([
      { ...created, status: 'agent-review', review_round: 1 },
    ]);
  });

  it.each([
    ['pending', 0],
    ['clarification', 0],
    ['agent-review', 1],
    ['reviewing', 0],
  ] as const)('makes it %s with round %i when asked', (status, review_round) => {
    expect(creationOf(create(buildWorld(), { status })).fields).toMatchObject({
      status,
      review_round,
    });
  });

  it('ORA-26 takes the first installed harness of the order', () => {
    const settings = buildSettings({ harnessOrder: ['pi', 'codex', 'claude'] });
    const world = buildWorld({ settings, installedHarnesses: ['claude', 'codex'] });
    expect(creationOf(create(world)).fields.harness).toBe('codex');
  });

  it('ORA-27 keeps claude as the reviewer even where it is not installed', () => {
    const world = buildWorld({ installedHarnesses: ['codex'] });
    expect(creationOf(create(world)).fields.review_harness).toBe('claude');
  });

  it('writes the Context as a section and only the extensions that are set', () => {
    const extensions = { priority: 'high', tags: [], hold: '', model: null };
    const creation = creationOf(create(buildWorld(), { context: 'Why.\n\n', extensions }));
    expect(creation.sections).toEqual([{ kind: 'set', section: 'Context', text: 'Why.\n\n' }]);
    expect(creation.extensions).toEqual({ priority: 'high' });
  });

  it('refuses an unknown harness with the mistake that keeps config.yaml from being in force', () => {
    const mistake = { file: '/h/config.yaml', line: 3, message: 'no list', fix: 'write a list' };
    const rejectedSettings = { code: 'ORA082', severity: 'error', ...mistake } as const;
    const world = { ...buildWorld(), rejectedSettings };
    expect(create(world, { harness: 'zz' }).failure).toMatchObject({
      kind: 'harness-unknown',
      rejected: mistake,
    });
  });

  it.each([
    ['an unknown project', { project: 'sop' }, { kind: 'not-found', what: 'project' }],
    ['an unknown harness', { harness: 'cluade' }, { kind: 'harness-unknown', harness: 'cluade' }],
    ['an unknown reviewer', { reviewHarness: 'x' }, { kind: 'harness-unknown', harness: 'x' }],
    ['a branch in use', { branch: 'dark-mode' }, { kind: 'branch-in-use', branch: 'dark-mode' }],
    [
      'a blocker that does not exist',
      { extensions: { blocked_by: ['gone'] } },
      { kind: 'not-found', what: 'task', name: 'gone' },
    ],
    [
      'itself as a blocker',
      { extensions: { blocked_by: [NEW_ID] } },
      { kind: 'blocked-by-self', taskId: NEW_ID },
    ],
  ])('refuses %s', (_, parts, failure) => {
    const decision = create(buildWorld({ tasks: [buildTask()] }), parts);
    expect(decision).toMatchObject({ changes: [], effects: [], failure });
  });

  it('refuses to guess a harness where none is installed', () => {
    const decision = create(buildWorld({ installedHarnesses: ['demo'] }));
    expect(decision.failure).toMatchObject({ kind: 'no-harness-installed' });
  });

  it('lets a branch be used again when the task that had it is over', () => {
    const world = buildWorld({ tasks: [buildTaskIn('done')] });
    expect(create(world, { branch: 'dark-mode' }).failure).toBeNull();
  });

  it('knows the built-in harnesses, the demo and those of the settings', () => {
    const settings = buildSettings({ harnesses: { mybot: { command: ['mybot'] } } });
    for (const harness of ['claude', 'demo', 'mybot']) {
      expect(create(buildWorld({ settings }), { harness }).failure).toBeNull();
    }
  });
});

describe('task reopen', () => {
  it.each(['done', 'cancelled'] as const)(
    'ORA-73 makes a new task that is related to one that is %s',
    (status) => {
      const old = buildTaskIn(status, {
        context: 'Why.',
        fields: { harness: 'codex', review_harness: 'codex' },
      });
      const decision = reopen(buildWorld({ tasks: [old] }), old.fields.id);
      expect(creationOf(decision)).toMatchObject({
        fields: {
          id: NEW_ID,
          status: 'pending',
          summary: old.fields.summary,
          harness: 'codex',
          review_harness: 'codex',
        },
        extensions: { related_to: [old.fields.id] },
        sections: [{ kind: 'set', section: 'Context', text: 'Why.' }],
      });
      expect(decision.changes).toHaveLength(1);
    },
  );

  it('takes another summary', () => {
    const old = buildTaskIn('done');
    const decision = reopen(buildWorld({ tasks: [old] }), old.fields.id, 'Once more');
    expect(creationOf(decision).fields.summary).toBe('Once more');
  });

  it('refuses a task that is not over', () => {
    const task = buildTaskIn('working');
    expect(reopen(buildWorld({ tasks: [task] }), task.fields.id).failure).toMatchObject({
      kind: 'wrong-status',
      action: 'reopen',
    });
  });
});
