import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
import { createRig, factsOf, type Event } from './orange-rig.js';

/** The keys each event of the seed begins with. */
const SEED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'task.created': ['type', 'timestamp', 'task_id', 'project', 'branch'],
  'agent.spawned': ['type', 'timestamp', 'workspace', 'tmux_session'],
  'status.changed': ['type', 'timestamp', 'from', 'to'],
  'agent.crashed': ['type', 'timestamp', 'status', 'crash_count', 'reason'],
  'auto.advanced': ['type', 'timestamp', 'from', 'to', 'reason'],
  'task.merged': ['type', 'timestamp', 'commit'],
};

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

describe('an agent that only writes its sections', () => {
  it('ORA-82 ORA-83 ORA-84 ORA-86 ORA-87 ORA-88 is carried from planning to a merged commit', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    const id = await rig.create('dark-mode', 'Add a dark mode', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');

    const before = rig.history(id);
    expect(before.map(brief)).toEqual([
      'task.created',
      'agent.spawned',
      'status.changed pending planning',
      'auto.advanced planning working ## Plan found',
      'auto.advanced working agent-review ## Handoff found',
      'review.started',
      'auto.advanced agent-review reviewing ## Review found',
    ]);
    expect(before[0]).toMatchObject({ task_id: id, project: 'shop', branch: 'dark-mode' });
    expect(before[1]).toMatchObject({ workspace: 'shop--1', tmux_session: 'shop/dark-mode' });
    expect(before.find(({ type }) => type === 'review.started')).toMatchObject({
      round: 1,
      window: 'review-1',
    });
    expect(rig.sessions()).toEqual(['shop/dark-mode']);
    expect(rig.pool()).toMatchObject({ 'shop--1': { status: 'bound', task: 'shop/dark-mode' } });

    const merged = await rig.must('task', 'merge', id, '--yes', '--json');
    expect(merged.json()).toMatchObject({
      id,
      status: 'done',
      workspace: null,
      session: 'inactive',
    });
    const after = rig.history(id);
    expect(after.slice(before.length).map(brief)).toEqual([
      'task.merged',
      'status.changed reviewing done',
    ]);
    for (const event of after) {
      const keys = SEED_KEYS[event.type] ?? ['type', 'timestamp'];
      expect(Object.keys(event).slice(0, keys.length)).toEqual(keys);
    }

    const commit = rig.git(rig.repository, 'rev-parse', 'main');
    expect(after.find(({ type }) => type === 'task.merged')).toMatchObject({ commit });
    expect(rig.git(rig.repository, 'log', '-1', '--format=%s%n%an <%ae>', 'main')).toBe(
      'Add a dark mode\nPat Rig <pat@rig.invalid>',
    );
    expect(rig.git(rig.repository, 'log', '-1', '--format=%B', 'main')).toContain(id);
    expect(rig.git(rig.repository, 'rev-list', '--count', 'main')).toBe('2');
    expect(rig.git(rig.repository, 'show', 'main:done.txt')).toBe('done');
    expect(rig.git(rig.repository, 'status', '--porcelain')).toBe('');

    expect(rig.sessions()).toEqual([]);
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
    const worktrees = rig.git(rig.repository, 'worktree', 'list', '--porcelain').split('\n\n');
    expect(worktrees).toHaveLength(2);
    expect(worktrees[1]).toMatch(/\ndetached$/);
    expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
    expect(readdirSync(rig.workspace())).not.toContain('TASK.md');
    expect(rig.field(id, 'workspace')).toBe('null');
    expect(rig.field(id, 'tmux_session')).toBe('null');
  });

  it('F39 is carried on when it writes Plan and Handoff in one go and ends at once', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `work done
            printf '\\n## Plan\\n\\nTOUCHING: done.txt\\n\\n## Handoff\\n\\nDONE: all of it\\n' >> TASK.md`,
          reviewer: `add Review 'Verdict: pass'`,
        },
      },
    });
    const id = await rig.create('at-once', 'All at once', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const moves = rig.history(id).filter(isMove).map(brief);
    expect(moves).toEqual([
      'status.changed pending planning',
      'auto.advanced planning working ## Plan found',
      'auto.advanced working agent-review ## Handoff found',
      'auto.advanced agent-review reviewing ## Review found',
    ]);
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(rig.repository, 'show', 'main:done.txt')).toBe('done');
  });

  it('keeps its own commits when it is merged with --strategy ff', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `add Plan 'APPROACH: two steps'; work one; work two; add Handoff 'DONE: both'; idle`,
          reviewer: PASSING_REVIEWER,
        },
      },
    });
    const id = await rig.create('steps', 'Two steps', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const tip = rig.git(rig.repository, 'rev-parse', 'steps');
    await rig.must('task', 'merge', id, '--yes', '--strategy', 'ff');
    expect(rig.git(rig.repository, 'rev-parse', 'main')).toBe(tip);
    expect(rig.git(rig.repository, 'log', '--format=%s', 'main')).toBe('Add two\nAdd one\nStart');
    expect(rig.history(id).find(({ type }) => type === 'task.merged')).toMatchObject({
      commit: tip,
      strategy: 'ff',
    });
    expect(rig.git(rig.repository, 'branch', '--list', 'steps')).toBe('');
  });

  it('sees its role, its task and its place in its environment', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `env | grep -E '^(ORANGE_|TMUX)' | sort > "$RIG/said/worker"; command -v orange >> "$RIG/said/worker"; pwd >> "$RIG/said/worker"
            add Plan 'TOUCHING: a'; await_status working; work done; add Handoff 'DONE: a'; idle`,
          reviewer: `env | grep -E '^ORANGE_' | sort > "$RIG/said/reviewer"; ${PASSING_REVIEWER}`,
        },
      },
    });
    const id = await rig.create('seen', 'See', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const place = rig.workspace();
    expect(rig.said('worker')).toEqual(
      expect.arrayContaining([
        `ORANGE_HOME=${rig.home}`,
        `ORANGE_TASK_ID=${id}`,
        `ORANGE_TASK_FILE=${rig.taskFile(id)}`,
        'ORANGE_PROJECT=shop',
        'ORANGE_BRANCH=seen',
        `ORANGE_WORKSPACE=${place}`,
        'ORANGE_SLOT=1',
        'ORANGE_ROLE=worker',
        `${rig.home}/run/bin/orange`,
        place,
      ]),
    );
    expect(rig.said('worker').filter((line) => line.startsWith('TMUX'))).toEqual([]);
    expect(rig.said('reviewer')).toEqual(
      expect.arrayContaining(['ORANGE_ROLE=reviewer', 'ORANGE_REVIEW_ROUND=1']),
    );
  });
});

function isMove({ type }: Event): boolean {
  return type === 'status.changed' || type === 'auto.advanced';
}

function brief(event: Event): string {
  return isMove(event) ? factsOf(event, 'type', 'from', 'to', 'reason') : event.type;
}
