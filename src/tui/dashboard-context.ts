import type { Result } from '../domain/result.js';
import type { MergeStrategy } from '../domain/settings.js';
import type { TaskView } from '../domain/task-view.js';
import type { DashboardClient } from './dashboard-client.js';
import type { Size } from './layout.js';
import type { RunJob } from './run-jobs.js';
import type { SnapshotFeed } from './snapshot-feed.js';
import type { Store } from './store.js';
import type { Dialog, UiEvent, UiState } from './ui-state.js';
import { visibleOf } from './view-model.js';
import { selectedIndex } from './visible-tasks.js';

/** A stored screen, and where it is. */
export type LastScreen = { readonly file: string; readonly lines: readonly string[] };

/** What a command of the dashboard can reach. */
export type DashboardContext = {
  readonly client: DashboardClient;
  readonly ui: Store<UiState, UiEvent>;
  readonly feed: Pick<SnapshotFeed, 'get' | 'retryNow'>;
  readonly runJob: RunJob;
  readonly size: () => Size;
  /** The strategy that the settings name for a project. */
  readonly strategyFor: (project: string) => MergeStrategy;
  readonly readTaskFile: (taskId: string) => Promise<string>;
  /** What is stored of the screen of an agent that has ended; null when there is nothing. */
  readonly readLastScreen: (taskId: string) => Promise<LastScreen | null>;
  /** What `orange task diff --full` shows. */
  readonly readDiff: (taskId: string) => Promise<Result<string>>;
  /** Gives the terminal to the session and takes it back when the person leaves it. */
  readonly attach: (session: string) => void;
  readonly repaint: () => void;
  readonly quit: () => void;
};

export function selectedTask({ feed, ui }: DashboardContext): TaskView | null {
  const { tasks } = visibleOf(feed.get().snapshot, ui.get());
  return tasks[selectedIndex(tasks, ui.get().selected)] ?? null;
}

/** A command on the selected task; without one it says so. */
export function onSelectedTask(
  act: (context: DashboardContext, task: TaskView) => void,
): (context: DashboardContext) => void {
  return (context) => {
    const task = selectedTask(context);
    if (task === null) tell(context, 'no task is selected', 'c creates one');
    else act(context, task);
  };
}

export function tell(context: DashboardContext, text: string, hint: string | null = null): void {
  context.ui.dispatch({ kind: 'told', message: { tone: 'plain', text, hint } });
}

export function openDialog(context: DashboardContext, dialog: Dialog): void {
  context.ui.dispatch({ kind: 'dialog-opened', dialog });
}
