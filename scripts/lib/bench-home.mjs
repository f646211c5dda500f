import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WHEN = '2026-01-02T03:04:05.000Z';

/** A throw-away home with one project and so many waiting tasks; `files` are their TASK.md. */
export function makeBenchHome(count) {
  const folder = mkdtempSync(join(tmpdir(), 'orange-bench-'));
  const home = join(folder, 'home');
  const files = Array.from({ length: count }, (_, number) => makeTask(home, number));
  const project = { name: 'bench', path: folder, default_branch: 'main', pool_size: 2 };
  writeFileSync(join(home, 'projects.json'), JSON.stringify([project], null, 2));
  return { home, files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function makeTask(home, number) {
  const id = `bench${String(number).padStart(16, '0')}`;
  const folder = join(home, 'tasks', 'bench', id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'TASK.md'), taskText(id, number));
  const created = { type: 'task.created', timestamp: WHEN, task_id: id, project: 'bench' };
  writeFileSync(join(folder, 'history.jsonl'), `${JSON.stringify({ ...created, branch: id })}\n`);
  return join(folder, 'TASK.md');
}

function taskText(id, number) {
  return `---
id: ${id}
project: bench
branch: orange-tasks/${id}
harness: demo
review_harness: demo
status: pending
review_round: 0
crash_count: 0
summary: Measure task number ${number}
workspace: null
tmux_session: null
pr_url: null
created_at: ${WHEN}
updated_at: ${WHEN}
---

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
