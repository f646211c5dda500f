import type { Change, Note, Outcome } from '../api/protocol.js';
import type { LockView } from '../domain/lock.js';
import type { Request } from '../domain/request.js';
import type { Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';

/** What the dashboard needs from the daemon. */
export type DashboardClient = {
  /** Starts the daemon if it does not run, and comes back when it answers. */
  startDaemon(): Promise<Result<null>>;
  /** Never starts a daemon. Every push after the snapshot goes to `onChange`; `onClosed` is called once, when pushes end. */
  subscribe(onChange: (change: Change) => void, onClosed: () => void): Promise<Result<Snapshot>>;
  /** Starts the daemon if it does not run: whoever asks for something wants it done. */
  submit(request: Request, onProgress?: (note: Note) => void): Promise<Result<Outcome>>;
  /** Who holds which files. */
  locks(): Promise<Result<readonly LockView[]>>;
  /** The last lines on the screen of a task's agent. */
  peek(taskId: string, lines: number): Promise<Result<readonly string[]>>;
};
