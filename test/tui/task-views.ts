import { describeNeed, type Need } from '../../src/domain/describe-need.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { Status } from '../../src/domain/status.js';
import { allowedActions } from '../../src/domain/task-actions.js';
import type { ProjectView, Snapshot, TaskView, WaitReason } from '../../src/domain/task-view.js';
import type { TaskFields } from '../../src/domain/task.js';

export const NOW = Date.parse('2026-01-02T12:00:00Z');
export const LIMITS = DEFAULT_SETTINGS.policy;

/** A task as the daemon would show it; what a test does not name is ordinary. */
export function taskView(
  overrides: Partial<Omit<TaskView, 'fields'>> & { readonly fields?: Partial<TaskFields> } = {},
): TaskView {
  const { fields: given, ...rest } = overrides;
  const fields: TaskFields = {
    id: 'abc0000000000000000001',
    project: 'shop',
    branch: 'dark-mode',
    harness: 'claude',
    review_harness: 'codex',
    status: 'working',
    review_round: 0,
    crash_count: 0,
    summary: 'Add a dark theme',
    workspace: 'shop--1',
    tmux_session: 'shop/dark-mode',
    pr_url: null,
    created_at: '2026-01-02T11:00:00Z',
    updated_at: '2026-01-02T11:55:00Z',
    ...given,
  };
  const session = rest.session ?? 'active';
  return {
    fields,
    extensions: {},
    session,
    actions: allowedActions(fields.status, session),
    reasons: reasonsIn(fields),
    questions: [],
    attention: null,
    problems: [],
    status_since: '2026-01-02T11:55:00Z',
    ...rest,
  };
}

const NEEDS_IN: Partial<Record<Status, Need>> = {
  clarification: { kind: 'question', open: [] },
  reviewing: { kind: 'review' },
  stuck: { kind: 'stuck', because: null },
};

function reasonsIn(fields: TaskFields): readonly WaitReason[] {
  const need = NEEDS_IN[fields.status];
  return need === undefined ? [] : [describeNeed(need, fields)];
}

export function projectView(name = 'shop'): ProjectView {
  return {
    name,
    path: `/repos/${name}`,
    default_branch: 'main',
    pool_size: 2,
    trusted: 'none-needed',
  };
}

export function snapshotOf(tasks: readonly TaskView[], projects = [projectView()]): Snapshot {
  const waiting = tasks.filter(({ fields }) => fields.status === 'pending');
  const queue = waiting.map(({ fields }) => fields.id);
  return { tasks, projects, workspaces: [], problems: [], queue };
}

/** A pending task, with what keeps it from starting. */
export function waitingTask(
  branch: string,
  reasons: readonly WaitReason[] = [],
  extensions: TaskView['extensions'] = {},
): TaskView {
  const place = { workspace: null, tmux_session: null };
  return taskView({
    fields: { id: `id-${branch}`, branch, status: 'pending', ...place },
    session: 'inactive',
    extensions,
    reasons,
  });
}

/** Many tasks, each with a branch of its own. */
export function manyTasks(count: number): readonly TaskView[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(4, '0');
    return taskView({
      fields: {
        id: `task${number}`,
        branch: `branch-${number}`,
        created_at: `2026-01-01T00:00:${number}Z`,
      },
    });
  });
}
