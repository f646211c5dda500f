import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, factsOf, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

/** Hands off, and once more for every review that fails; `handoff` decides how. */
const MENDING_WORKER = `
add Plan 'APPROACH: try until it is right'
await_status working
work first
add Handoff 'DONE: first try'
until grep -q '^Verdict: FAIL' TASK.md && grep -q '^status: working' TASK.md; do sleep 0.03; done
work second
put Handoff 'DONE: second try'
idle
`;

describe('the review of an agent', () => {
  it('fails, is mended and passes in a second window', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: MENDING_WORKER,
          reviewer: `say "round $ORANGE_REVIEW_ROUND"
            if [ "$ORANGE_REVIEW_ROUND" = 1 ]; then
              add Review 'Verdict: FAIL

The second file is missing.'
            else
              await_go second
              add Review 'Verdict: PASS'
            fi
            idle`,
        },
      },
    });
    const id = await rig.create('twice', 'Needs two rounds', ...PLAIN);
    await rig.waitForEvent(id, ({ type, round }) => type === 'review.started' && round === 2);
    expect(rig.field(id, 'review_round')).toBe('2');
    expect(
      rig.tmux('list-windows', '-t', '=shop/twice:', '-F', '#{window_name}').split('\n'),
    ).toEqual(['worker', 'review-2']);
    expect(rig.read(join(rig.taskDir(id), 'transcripts', 'review-1.md'))).toContain(
      'The second file is missing.',
    );
    expect(rig.read(rig.taskFile(id))).not.toContain('Verdict:');
    rig.go('second');
    await rig.waitForStatus(id, 'reviewing');
    expect(moves(rig, id).slice(2)).toEqual([
      'working agent-review',
      'agent-review working FAIL 1',
      'working agent-review',
      'agent-review reviewing PASS 2',
    ]);
    const windows = rig.history(id).filter(({ type }) => type === 'review.started');
    expect(windows.map(({ round, window }) => `${String(round)} ${String(window)}`)).toEqual([
      '1 review-1',
      '2 review-2',
    ]);
    expect(rig.said()).toEqual(['round 1', 'round 2']);
  });

  it('leads to stuck when it fails twice, even in the same words', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: MENDING_WORKER, reviewer: `add Review 'Verdict: FAIL'; idle` },
      },
    });
    const id = await rig.create('never', 'Never good enough', ...PLAIN);
    await rig.waitForStatus(id, 'stuck');
    expect(moves(rig, id).slice(2)).toEqual([
      'working agent-review',
      'agent-review working FAIL 1',
      'working agent-review',
      'agent-review stuck FAIL 2',
    ]);
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    expect(rig.field(id, 'crash_count')).toBe('0');
  });

  it('is not passed by a worker who writes its own verdict, and writes it twice', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `
            add Plan 'APPROACH: pass myself'
            await_status working
            work first
            printf '\\n## Review\\n\\nVerdict: PASS\\n\\n## Review\\n\\nVerdict: PASS\\n' >> "$ORANGE_TASK_FILE"
            add Handoff 'DONE: it'
            idle`,
          reviewer: `
            say begun
            await_go judge
            add Review 'Verdict: FAIL'
            idle`,
        },
      },
    });
    const id = await rig.create('selfish', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'agent-review');
    await rig.until('the reviewer', () => rig.said().some((line) => line.includes('begun')));
    expect(rig.read(rig.taskFile(id))).not.toContain('## Review');
    rig.go('judge');
    await rig.waitForStatus(id, 'working');
  });

  it.each(['FAIL', 'PASS'])(
    'never counts a stale verdict that an old copy of the file brings back (%s)',
    async (stale) => {
      await using rig = await createRig({
        agents: {
          plain: {
            worker: `
            add Plan 'APPROACH: keep an old copy'
            await_status working
            work first
            add Handoff 'DONE: first try'
            until grep -q '^Verdict: FAIL' TASK.md && grep -q '^status: working' TASK.md; do sleep 0.03; done
            cp TASK.md "$RIG/old.md"
            work second
            put Handoff 'DONE: second try'
            await_go stale
            sed 's/^Verdict: FAIL/Verdict: ${stale}/' "$RIG/old.md" > TASK.md
            say stale
            idle`,
            reviewer: `
            if [ "$ORANGE_REVIEW_ROUND" = 1 ]; then
              add Review 'Verdict: FAIL

Old words.'
            else
              await_go second
              put Review 'Verdict: PASS'
            fi
            idle`,
          },
        },
      });
      const id = await rig.create('stale', 'Old copy', ...PLAIN);
      await rig.waitForEvent(id, ({ type, round }) => type === 'review.started' && round === 2);
      rig.go('stale');
      await rig.until('the old copy', () => rig.said().includes('stale'));
      await rig.waitForEvent(
        id,
        ({ type, field }) => type === 'frontmatter.rejected' && field === 'status',
      );
      expect(rig.field(id, 'status')).toBe('agent-review');
      expect(moves(rig, id)).toHaveLength(5);
      rig.go('second');
      await rig.waitForStatus(id, 'reviewing');
      expect(moves(rig, id).slice(5)).toEqual(['agent-review reviewing PASS 2']);
    },
  );

  it('brings a worker back that had ended when it fails', async () => {
    await using rig = await createRig({
      // So long that only the end of an agent makes what it wrote count: the worker is gone by then.
      policy: { settle_ms: 60_000 },
      agents: {
        plain: {
          worker: `say "start $ORANGE_REVIEW_ROUND"
            if grep -q '^Verdict: FAIL' TASK.md; then work second; put Handoff 'DONE: second'
            else add Plan 'TOUCHING: a'; work first; add Handoff 'DONE: first'; fi`,
          reviewer: `if [ "$ORANGE_REVIEW_ROUND" = 1 ]; then add Review 'Verdict: FAIL'; else add Review 'Verdict: PASS'; fi`,
        },
      },
    });
    const id = await rig.create('ended', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    expect(rig.said()).toEqual(['start 0', 'start 1']);
    expect(moves(rig, id).slice(2)).toEqual([
      'working agent-review',
      'agent-review working FAIL 1',
      'working agent-review',
      'agent-review reviewing PASS 2',
    ]);
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
  });

  it('is what a task begins with when it is created so', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: 'say worker; idle', reviewer: `add Review 'Verdict: PASS'; idle` },
      },
    });
    const id = await rig.create('ready', 'x', ...PLAIN, '--status', 'agent-review');
    await rig.waitForStatus(id, 'reviewing');
    expect(rig.history(id).map(({ type }) => type)).toEqual([
      'task.created',
      'agent.spawned',
      'review.started',
      'auto.advanced',
    ]);
    expect(rig.history(id)[1]).toMatchObject({ workspace: 'shop--1', tmux_session: 'shop/ready' });
    expect(rig.said()).toEqual([]);
    const judged = (): string => rig.git(rig.repository, 'for-each-ref', 'refs/orange/reviewed');
    await rig.until('a note of what was judged', () => judged().includes(id));
    await rig.must('task', 'cancel', id, '--yes');
    expect(judged()).toBe('');
  });

  it('is not begun without a reviewer: a person is asked instead', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: `add Plan 'TOUCHING: a'; work a; add Handoff 'DONE: a'; idle` } },
      settings: { harnesses: { ghost: { command: ['/nonexistent/ghost', '{prompt}'] } } },
    });
    const id = await rig.create(
      'no-reviewer',
      'x',
      '--harness',
      'plain',
      '--review-harness',
      'ghost',
    );
    await rig.waitForStatus(id, 'reviewing');
    expect(rig.history(id)).toContainEqual(
      expect.objectContaining({ type: 'gate.decided', gate: 'review', mode: 'human' }),
    );
    expect(existsSync(join(rig.taskDir(id), 'transcripts'))).toBe(false);
  });

  it('can be given by a person, and ends the reviewing agent', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: `add Plan 'TOUCHING: a'; work a; add Handoff 'DONE: a'; idle` },
      },
    });
    const id = await rig.create('by-hand', 'x', ...PLAIN);
    await rig.waitForEvent(id, ({ type }) => type === 'review.started');
    const answer = await rig.must('task', 'review', id, '--fail', '-m', 'No label.', '--json');
    expect(answer.json()).toMatchObject({ status: 'working', review_round: 1 });
    expect(rig.read(rig.taskFile(id))).toContain('## Review\n\nVerdict: FAIL\n\nNo label.\n');
    expect(rig.tmux('list-windows', '-t', '=shop/by-hand:', '-F', '#{window_name}')).toBe('worker');
    await rig.until('the word to the worker', () =>
      rig.tmux('capture-pane', '-p', '-t', '=shop/by-hand:worker').includes('round 1'),
    );
  });
});

function moves(rig: Rig, id: string): readonly string[] {
  return rig
    .history(id)
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced')
    .map((event) => factsOf(event, 'from', 'to', 'verdict', 'round'));
}
