import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Task = { readonly id: string };
type Event = { readonly type: string };
const { followHistories } = await loadScript<{
  followHistories: (options: {
    home: string;
    project: string;
    tasks: readonly Task[];
    status: string;
    deadlineMs: number;
    signal: AbortSignal;
    onEvent: (task: Task, event: Event) => void;
  }) => Promise<Map<string, string>>;
}>('follow-histories');

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'orange-'));
  mkdirSync(join(home, 'tasks/sample/a'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

const write = (text: string): void =>
  appendFileSync(join(home, 'tasks/sample/a/history.jsonl'), text);
const move = (to: string): string => JSON.stringify({ type: 'auto.advanced', from: 'x', to });

async function follow(deadlineMs: number): Promise<{ told: string[]; status: string | undefined }> {
  const told: string[] = [];
  const statuses = await followHistories({
    home,
    project: 'sample',
    tasks: [{ id: 'a' }],
    status: 'reviewing',
    deadlineMs,
    signal: new AbortController().signal,
    onEvent: (_task, { type }) => told.push(type),
  });
  return { told, status: statuses.get('a') };
}

it('every event is told once and the wait ends when the status is reached', async () => {
  write(`{"type":"task.created"}\n${move('working')}\n`);
  const following = follow(10_000);
  write(move('reviewing').slice(0, 10));
  write(`${move('reviewing').slice(10)}\n`);
  expect(await following).toEqual({
    told: ['task.created', 'auto.advanced', 'auto.advanced'],
    status: 'reviewing',
  });
});

it('the wait ends early when a task is stuck', async () => {
  write(`${move('stuck')}\n`);
  expect((await follow(10_000)).status).toBe('stuck');
});

it('a half-written last line is left for later, and the wait ends at its deadline', async () => {
  write(`${move('working')}\n${move('reviewing')}`);
  expect(await follow(1)).toEqual({ told: ['auto.advanced'], status: 'working' });
});
