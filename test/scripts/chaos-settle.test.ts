import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Rest = { readonly unrest: string | null; readonly restMs: number; readonly ownMs: number };
type Script = {
  readonly timeRest: (place: object, how?: { readonly deadlineMs: number }) => Promise<Rest>;
};

describe('the time that a home takes to come to rest', () => {
  let folder: string;
  let place: { readonly home: string; readonly chaos: string };
  const timeRest: Script['timeRest'] = async (...how) =>
    (await loadScript<Script>('../chaos/settle')).timeRest(...how);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'os-'));
    place = { home: join(folder, 'home'), chaos: join(folder, 'chaos') };
    for (const path of ['home/run/outbox', 'home/workspaces', 'chaos/busy', 'chaos/lives']) {
      mkdirSync(join(folder, path), { recursive: true });
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is nothing where nothing happens', async () => {
    expect(await timeRest(place)).toMatchObject({ unrest: null, restMs: 0, ownMs: 0 });
  });

  it('lasts until the last intent is gone from the outbox', async () => {
    const path = join(place.home, 'run', 'outbox', '000000000001.json');
    writeFileSync(path, '{}');
    const resting = timeRest(place);
    await pause(700);
    rmSync(path);
    const { unrest, restMs, ownMs } = await resting;
    expect(unrest).toBeNull();
    expect(restMs).toBeGreaterThan(600);
    expect(ownMs).toBeGreaterThan(600);
  });

  it('is not orange’s own while an agent is at work', async () => {
    const agent = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const stat = readFileSync(`/proc/${agent.pid}/stat`, 'latin1');
      writeFileSync(join(place.chaos, 'lives', 'launch-1'), stat);
      writeFileSync(join(place.chaos, 'busy', 'launch-1'), '');
      const resting = timeRest(place);
      await pause(700);
      rmSync(join(place.chaos, 'busy', 'launch-1'));
      const { restMs, ownMs } = await resting;
      expect(restMs).toBeGreaterThan(600);
      expect(ownMs).toBe(0);
    } finally {
      agent.kill('SIGKILL');
    }
  });

  it('does not wait for a mark that a killed agent has left', async () => {
    writeFileSync(join(place.chaos, 'lives', 'launch-1'), '999999999 (sh) S 1 1 1');
    writeFileSync(join(place.chaos, 'busy', 'launch-1'), '');
    expect(await timeRest(place)).toMatchObject({ unrest: null, restMs: 0 });
  });

  it.each([
    ['a start that failed, whatever was recorded since', ['spawn.failed', 'task.updated'], 2500],
    ['nothing once the agent was started', ['spawn.failed', 'agent.spawned'], 0],
  ])('waits for the retry of %s', async (_what, types, quietMs) => {
    const task = join(place.home, 'tasks', 'shop', 'one');
    mkdirSync(task, { recursive: true });
    writeFileSync(join(task, 'TASK.md'), PENDING);
    const timestamp = '2026-01-01T10:00:00.000Z';
    const lines = types.map((type) => `${JSON.stringify({ type, timestamp })}\n`);
    writeFileSync(join(task, 'history.jsonl'), lines.join(''));
    const start = performance.now();
    expect((await timeRest(place)).unrest).toBeNull();
    const tookMs = performance.now() - start;
    expect(tookMs).toBeGreaterThanOrEqual(quietMs);
    if (quietMs === 0) expect(tookMs).toBeLessThan(2500);
  });

  it.each([
    ['an agent of a task that waits for a person', 'reviewing', 2000],
    ['no agent of a task that nobody is to be started for', 'pending', 0],
  ])('waits for the judging of the end of %s', async (_what, status, quietMs) => {
    const [task, run] = ['tasks/shop/one', 'run/one'].map((path) => join(place.home, path));
    for (const path of [task, run]) mkdirSync(path ?? '', { recursive: true });
    writeFileSync(join(task ?? '', 'TASK.md'), PENDING.replace('pending', status));
    writeFileSync(join(task ?? '', 'history.jsonl'), '');
    writeFileSync(join(run ?? '', 'worker.exit'), '{}');
    const start = performance.now();
    expect((await timeRest(place)).unrest).toBeNull();
    const tookMs = performance.now() - start;
    expect(tookMs).toBeGreaterThanOrEqual(quietMs - 100);
    if (quietMs === 0) expect(tookMs).toBeLessThan(2000);
  });

  it('lasts until a last line that was cut off is completed', async () => {
    const task = join(place.home, 'tasks', 'shop', 'one');
    mkdirSync(task, { recursive: true });
    writeFileSync(join(task, 'TASK.md'), PENDING);
    const line = JSON.stringify({ type: 'task.created', timestamp: '2026-01-01T10:00:00.000Z' });
    writeFileSync(join(task, 'history.jsonl'), line);
    const { unrest } = await timeRest(place, { deadlineMs: 800 });
    expect(unrest).not.toBeNull();
    appendFileSync(join(task, 'history.jsonl'), '\n');
    expect((await timeRest(place)).unrest).toBeNull();
  });

  it('lasts until the checkout of a trial is gone', async () => {
    const trial = join(place.home, 'run', 'trials', 'one');
    mkdirSync(trial, { recursive: true });
    expect((await timeRest(place, { deadlineMs: 800 })).unrest).toContain('one end of its trial');
    rmSync(trial, { recursive: true });
    expect((await timeRest(place)).unrest).toBeNull();
  });

  it('has no end where something is owed for ever, and says what', async () => {
    appendFileSync(join(place.home, 'run', 'outbox', '000000000007.json'), '{}');
    const { unrest, ownMs } = await timeRest(place, { deadlineMs: 200 });
    expect(unrest).toContain('outbox: 000000000007.json');
    expect(ownMs).toBeGreaterThan(100);
  });
});

const PENDING = `---
id: one
project: shop
branch: a
harness: steady
review_harness: passing
status: pending
review_round: 0
crash_count: 0
summary: a
workspace: null
tmux_session: null
pr_url: null
created_at: 2026-01-01T10:00:00.000Z
updated_at: 2026-01-01T10:00:00.000Z
---
`;
