import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked } from './end-rig.js';
import { createRig, type Event, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

describe('an agent that ends without its artifact', () => {
  it('ORA-85 ORA-88 is started again, and the task is stuck at the limit', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `say start; grep -q '^## Plan' TASK.md || add Plan 'APPROACH: fall over'
            await_status working; echo 'the last words'; exit 7`,
        },
      },
    });
    const id = await rig.create('falls', 'Falls over', ...PLAIN);
    await rig.waitForStatus(id, 'stuck');
    const crashes = crashesOf(rig, id);
    expect(crashes).toEqual([
      expect.objectContaining({
        status: 'working',
        crash_count: 1,
        reason: 'no ## Handoff',
        exit_status: 7,
        window: 'worker',
      }),
      expect.objectContaining({
        status: 'working',
        crash_count: 2,
        reason: 'no ## Handoff',
        exit_status: 7,
      }),
    ]);
    expect(rig.history(id).at(-1)).toMatchObject({
      type: 'auto.advanced',
      from: 'working',
      to: 'stuck',
      reason: 'no ## Handoff',
    });
    expect(rig.said()).toEqual(['start', 'start']);
    expect(rig.field(id, 'crash_count')).toBe('2');
    for (const crash of crashes) expect(await screenOf(rig, id, crash)).toContain('the last words');
    const listed = await rig.must('task', 'list', '--json');
    expect(listed.json<unknown[]>()[0]).toMatchObject({ status: 'stuck', session: 'crashed' });
    const file = join(rig.taskDir(id), String(crashes.at(-1)?.['transcript']));
    const shown = (await rig.must('task', 'show', id)).stdout;
    expect(shown).toContain('  the last words\n');
    expect(shown).toContain(file);
    expect((await rig.must('task', 'log', id)).stdout).toContain(file);
  });

  it('in planning counts by itself: a move sets the count back to 0', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `say start
            [ "$(wc -l < "$RIG/said/all")" = 1 ] && exit 3
            add Plan 'APPROACH: second time lucky'; await_status working; await_go on
            [ "$(wc -l < "$RIG/said/all")" = 2 ] && exit 4
            work done; add Handoff 'DONE: it'; idle`,
          reviewer: `add Review 'Verdict: PASS'; idle`,
        },
      },
    });
    const id = await rig.create('recovers', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'working');
    expect(crashesOf(rig, id)).toEqual([
      expect.objectContaining({
        status: 'planning',
        crash_count: 1,
        reason: 'no ## Plan',
        exit_status: 3,
      }),
    ]);
    expect(rig.field(id, 'crash_count')).toBe('0');
    rig.go('on');
    await rig.waitForEvent(
      id,
      ({ type, status }) => type === 'agent.crashed' && status === 'working',
    );
    expect(rig.field(id, 'crash_count')).toBe('1');
  });

  it('F66 says by which signal it was killed', async () => {
    await using rig = await createRig({
      policy: { crash_limit: 1 },
      agents: { plain: { worker: `add Plan 'APPROACH: die'; await_status working; kill -9 $$` } },
    });
    const id = await rig.create('killed', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'stuck');
    expect(crashesOf(rig, id)).toEqual([
      expect.objectContaining({ crash_count: 1, exit_status: 137, signal: 'SIGKILL' }),
    ]);
  });

  it('is noticed when its whole process group is killed from outside', async () => {
    await using rig = await createRig({
      policy: { crash_limit: 1 },
      agents: { plain: { worker: `add Plan 'APPROACH: wait'; say "$$"; idle` } },
    });
    const id = await rig.create('shot', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'working');
    const [agent] = await rig.until('its pid', () => (rig.said().length > 0 ? rig.said() : null));
    process.kill(Number(agent), 'SIGTERM');
    await rig.waitForStatus(id, 'stuck');
    expect(crashesOf(rig, id)).toEqual([
      expect.objectContaining({ status: 'working', exit_status: 143, signal: 'SIGTERM' }),
    ]);
  });

  it('F60 is not started when its program is missing, and the reason says so', async () => {
    await using rig = await createRig({
      settings: { harnesses: { ghost: { command: ['no-such-agent-anywhere', '{prompt}'] } } },
    });
    const id = await rig.create('ghost', 'x', '--harness', 'ghost');
    expect(rig.field(id, 'status')).toBe('pending');
    const next = (await rig.must('next', '--explain', '--json')).json<Reasons[]>();
    expect(next).toEqual([
      {
        id,
        eligible: false,
        reasons: [expect.objectContaining({ code: 'harness-not-installed' })],
      },
    ]);
    const refused = await rig.orange('task', 'spawn', id, '--json');
    expect(refused.code).toBe(1);
    expect(refused.json<Refusal>().error.message).toContain('ghost');
    expect(rig.sessions()).toEqual([]);
  });

  it('F60 is a crash with status 127 when its program is gone although its script is there', async () => {
    await using rig = await createRig({
      policy: { crash_limit: 1 },
      settings: {
        harnesses: { broken: { command: ['/bin/sh', '-c', 'exec /nonexistent/agent'] } },
      },
    });
    const id = await rig.create('broken', 'x', '--harness', 'broken');
    await rig.waitForStatus(id, 'stuck');
    const [crash] = crashesOf(rig, id);
    expect(crash).toMatchObject({ status: 'planning', exit_status: 127 });
    expect(crash?.['reason']).toBe('no ## Plan: command not found');
    expect(await screenOf(rig, id, crash)).toContain('/nonexistent/agent');
  });

  it('counts a reviewer by itself while the worker stays', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `add Plan 'TOUCHING: a'; work a; add Handoff 'DONE: a'; idle`,
          reviewer: `say review; exit 5`,
        },
      },
    });
    const id = await rig.create('no-verdict', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'stuck');
    expect(crashesOf(rig, id)).toEqual([
      expect.objectContaining({
        status: 'agent-review',
        crash_count: 1,
        reason: 'no ## Review',
        exit_status: 5,
        window: 'review-1',
      }),
      expect.objectContaining({
        status: 'agent-review',
        crash_count: 2,
        reason: 'no ## Review',
        exit_status: 5,
      }),
    ]);
    expect(rig.said()).toEqual(['review', 'review']);
    expect(rig.tmux('list-windows', '-t', '=shop/no-verdict:', '-F', '#{window_name}')).toBe(
      'worker',
    );
  });

  it('is shown and written down once, but not counted, while the task waits for a person', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `add Plan 'TOUCHING: a'; work a; add Handoff 'DONE: a'; await_go end
            echo 'the last words'; kill -9 $$`,
          reviewer: `add Review 'Verdict: PASS'; idle`,
        },
      },
    });
    const id = await rig.create('ends-late', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    rig.go('end');
    await rig.until('the end of the session', () => rig.sessions().length === 0);
    const shown = await rig.must('task', 'show', id, '--json');
    expect(shown.json()).toMatchObject({ status: 'reviewing', session: 'crashed', crash_count: 0 });
    await rig.must('daemon', 'restart');
    await rig.must('task', 'report', id, '-m', 'seen');
    const ends = rig.history(id).filter(({ type }) => type === 'agent.ended');
    expect(ends).toMatchObject([{ status: 'reviewing', signal: 'SIGKILL', window: 'worker' }]);
    expect(await screenOf(rig, id, ends[0])).toContain('the last words');
    expect(crashesOf(rig, id)).toEqual([]);
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.field(id, 'status')).toBe('done');
  });

  it('F53 is brought back once each, and not counted, when the whole tmux server dies', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: `say start; grep -q '^## Plan' TASK.md || add Plan 'TOUCHING: a'; idle` },
      },
    });
    const one = await rig.create('one', 'x', ...PLAIN);
    const two = await rig.create('two', 'x', ...PLAIN);
    await rig.waitForStatus(one, 'working');
    await rig.waitForStatus(two, 'working');
    rig.tmux('kill-server');
    const isBack = (id: string): boolean =>
      rig.history(id).filter(({ type }) => type === 'agent.spawned').length === 2;
    await rig.until('both again', () => isBack(one) && isBack(two));
    for (const id of [one, two]) {
      expect(crashesOf(rig, id)).toEqual([]);
      expect(rig.field(id, 'crash_count')).toBe('0');
      const interruptions = rig.history(id).filter(({ type }) => type === 'agent.interrupted');
      expect(interruptions).toMatchObject([
        { status: 'working', cause: 'server', window: 'worker' },
      ]);
    }
    expect(rig.sessions().toSorted()).toEqual(['shop/one', 'shop/two']);
    expect(agentsOf(rig, one)).toBe(1);
    expect(agentsOf(rig, two)).toBe(1);
  });
});

/** What was on the screen of an agent that crashed; it is kept right after the crash is recorded. */
async function screenOf(rig: Rig, id: string, crash: Event | undefined): Promise<string> {
  const path = join(rig.taskDir(id), String(crash?.['transcript']));
  return rig.until(`the transcript ${path}`, () => existsSync(path) && rig.read(path));
}

type Reasons = { id: string; eligible: boolean; reasons: unknown[] };
type Refusal = { error: { code: string; message: string; hint: string | null } };

function crashesOf(rig: Rig, id: string) {
  return rig.history(id).filter(({ type }) => type === 'agent.crashed');
}

/** How many scripted agents run for a task, by their environment and not by what orange says. */
function agentsOf(rig: Rig, id: string): number {
  return marked(rig.home).filter((pid) => {
    const environment = readOrEmpty(`/proc/${pid}/environ`);
    const isAgent = readOrEmpty(`/proc/${pid}/cmdline`).includes('agent-plain-worker.sh');
    return isAgent && environment.includes(`\0ORANGE_TASK_ID=${id}\0`);
  }).length;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
