import type { Diagnostic } from './diagnostic.js';
import type { OpenQuestion } from './section.js';
import type { Status } from './status.js';
import type { Snapshot, TaskView, WorkspaceView } from './task-view.js';

/** One thing that waits for a person. The keys are those of `orange inbox --json`. */
export type InboxItem = {
  /** Stable code, see docs/inbox.md. */
  readonly code: string;
  readonly message: string;
  /** ISO 8601; null where nobody knows. */
  readonly since: string | null;
  /** The command that settles it. */
  readonly command: string;
  readonly task_id: string | null;
  /** project/branch, or null for a file that belongs to no task. */
  readonly task: string | null;
  readonly project: string | null;
  readonly status: Status | null;
  readonly summary: string | null;
  readonly questions: readonly OpenQuestion[];
  /** How its agent has ended meanwhile, when it did and may be missed. */
  readonly gone: string | null;
  readonly file: string | null;
};

/** Everything that waits for a person, oldest first; of one project, or of all of them. */
export function inboxOf(
  snapshot: Pick<Snapshot, 'tasks' | 'problems' | 'workspaces'>,
  project: string | null = null,
): readonly InboxItem[] {
  const tasks = snapshot.tasks.filter(
    ({ fields }) => project === null || fields.project === project,
  );
  const places = snapshot.workspaces.filter((each) => project === null || each.project === project);
  return inOrder([
    ...snapshot.problems.flatMap(fileItems),
    ...places.flatMap(placeItems),
    ...tasks.flatMap(taskItems),
  ]);
}

/** The same items, those whose time is not known first: they may hold up everything. */
export function inOrder(items: readonly InboxItem[]): readonly InboxItem[] {
  return items.toSorted((one, other) => {
    const [early, late] = [one.since ?? '', other.since ?? ''];
    if (early === late) return 0;
    return early < late ? -1 : 1;
  });
}

/** Whether a task goes on only when a person does something. */
export function waitsForPerson(task: TaskView): boolean {
  return task.reasons.some(({ settle }) => settle !== undefined);
}

/** Since when a task waits for a person: the oldest of its items in the inbox; null without any. */
export function waitsSince(task: TaskView): string | null {
  const [oldest] = inOrder(taskItems(task));
  return oldest?.since ?? null;
}

function taskItems(view: TaskView): readonly InboxItem[] {
  const { fields, questions } = view;
  return view.reasons.flatMap(({ code, message, settle, since, gone }): readonly InboxItem[] => {
    if (settle === undefined) return [];
    return [
      {
        code,
        message,
        since: since ?? view.status_since,
        command: settle,
        task_id: fields.id,
        task: `${fields.project}/${fields.branch}`,
        project: fields.project,
        status: fields.status,
        summary: fields.summary,
        questions: code === 'question' ? questions : [],
        gone: gone ?? null,
        file: code === 'unreadable' ? (view.problems[0]?.file ?? null) : null,
      },
    ];
  });
}

function placeItems({ workspace, project, path, set_aside }: WorkspaceView): readonly InboxItem[] {
  if (set_aside?.given_up !== true) return [];
  return [
    {
      code: 'worktree-set-aside',
      message: `${workspace} could not be made anew: ${set_aside.reason}`,
      since: null,
      command: 'orange doctor --fix quarantined',
      task_id: null,
      task: null,
      project,
      status: null,
      summary: null,
      questions: [],
      gone: null,
      file: path,
    },
  ];
}

function fileItems({ code, severity, file, line, message }: Diagnostic): readonly InboxItem[] {
  if (severity !== 'error') return [];
  return [
    {
      code: 'broken-file',
      message: `${file}:${line} ${code} ${message}`,
      since: null,
      command: file.endsWith('TASK.md') ? 'orange validate' : 'orange doctor',
      task_id: null,
      task: null,
      project: null,
      status: null,
      summary: null,
      questions: [],
      gone: null,
      file,
    },
  ];
}
