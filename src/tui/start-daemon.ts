import { type DashboardContext, tell } from './dashboard-context.js';
import { failureMessage } from './run-jobs.js';
import type { Message } from './ui-state.js';

// Jobs of tasks count from 1.
const DAEMON_JOB = 0;

/** Starts the daemon because the person asked for it; one that runs is left alone. */
export function startDaemon(context: DashboardContext): void {
  if (context.feed.get().connection.kind !== 'lost') return tell(context, 'the daemon is running');
  if (context.ui.get().jobs.some((job) => job.jobId === DAEMON_JOB)) return;
  void start(context);
}

async function start({ client, ui, feed, repaint }: DashboardContext): Promise<void> {
  const job = { jobId: DAEMON_JOB, taskId: null, label: 'starting the daemon', progress: null };
  ui.dispatch({ kind: 'job-started', job });
  const started = await client.startDaemon();
  const message: Message = started.ok
    ? { tone: 'good', text: 'the daemon is running', hint: null }
    : failureMessage(started.failure);
  ui.dispatch({ kind: 'job-ended', jobId: DAEMON_JOB, message });
  // Starting a daemon may have left words on the screen.
  repaint();
  feed.retryNow();
}
