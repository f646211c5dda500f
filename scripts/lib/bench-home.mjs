import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';

const WHEN = '2026-01-02T03:04:05.000Z';

/** A throw-away home with one project and so many tasks, none of which wants an agent. */
export async function makeBenchHome(count, { doneShare = 0, events = 1 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ob-'));
  const home = join(folder, 'home');
  await runProgram('git', ['init', '--quiet', '--initial-branch=main', folder]);
  mkdirSync(home);
  writeTasks(home, { project: 'bench', count, doneShare, events });
  const project = { name: 'bench', path: folder, default_branch: 'main', pool_size: 2 };
  writeFileSync(join(home, 'projects.json'), JSON.stringify([project], null, 2));
  return { folder, home, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Fills a home with tasks: the first share of them done, the others held in pending. */
export function writeTasks(home, { project, count, doneShare = 0, events = 1 }) {
  return Array.from({ length: count }, (_, number) => {
    const id = `bench${String(number).padStart(16, '0')}`;
    const folder = join(home, 'tasks', project, id);
    const isDone = number < count * doneShare;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'TASK.md'), taskText({ id, project, number, isDone }));
    writeFileSync(join(folder, 'history.jsonl'), historyText({ id, project, isDone, events }));
    return folder;
  });
}

/** The lines of a history that says the same as the file; most tell of updates. */
export function historyText({ id, project, isDone, events }) {
  const created = line('task.created', { task_id: id, project, branch: `orange-tasks/${id}` });
  const updates = Array.from({ length: Math.max(0, events - (isDone ? 2 : 1)) }, (_, number) =>
    line('task.updated', { by: 'agent', summary: `Measure task, for the ${number}. time` }),
  );
  const done = isDone ? line('status.changed', { from: 'pending', to: 'done', by: 'human' }) : '';
  return `${created}${updates.join('')}${done}`;
}

function line(type, facts) {
  return `${JSON.stringify({ type, timestamp: WHEN, ...facts })}\n`;
}

function taskText({ id, project, number, isDone }) {
  return `---
id: ${id}
project: ${project}
branch: orange-tasks/${id}
harness: demo
review_harness: demo
status: ${isDone ? 'done' : 'pending'}
review_round: 0
crash_count: 0
summary: "Measure: task number ${number}"
workspace: null
tmux_session: null
pr_url: null
created_at: ${WHEN}
updated_at: ${WHEN}
${isDone ? '' : 'hold: not spawned\n'}---

## Context

${'A line of the kind that people write when they say what they want.\n'.repeat(10)}
## Plan

APPROACH: Do what Context asks for
TOUCHING: src/a.ts, src/b.ts

## Handoff

DONE: All of it
REMAINING: nothing
`;
}
