import type { TaskFields, TaskRecord } from '../../src/domain/task.js';

export const SAMPLE_FIELDS: TaskFields = {
  id: 'V1StGXR8Z5jdHi6BmyT0a',
  project: 'orange',
  branch: 'dark-mode',
  harness: 'claude',
  review_harness: 'claude',
  status: 'pending',
  review_round: 0,
  crash_count: 0,
  summary: 'Add a dark mode',
  workspace: null,
  tmux_session: null,
  pr_url: null,
  created_at: '2026-01-31T09:30:00Z',
  updated_at: '2026-01-31T09:30:00Z',
};

export function sampleTask(
  change: Partial<TaskFields> = {},
  body = '\n## Context\n\nWhy.\n',
): TaskRecord {
  return { fields: { ...SAMPLE_FIELDS, ...change }, extensions: {}, body };
}

export const SAMPLE_TEXT = `---
id: V1StGXR8Z5jdHi6BmyT0a
project: orange
branch: dark-mode
harness: claude
review_harness: claude
status: pending
review_round: 0
crash_count: 0
summary: Add a dark mode
workspace: null
tmux_session: null
pr_url: null
created_at: 2026-01-31T09:30:00Z
updated_at: 2026-01-31T09:30:00Z
---

## Context

Why.
`;
