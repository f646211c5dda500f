import type { Change, Note, Outcome } from '../api/protocol.js';
import type { Request } from '../domain/request.js';
import type { Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';

/** What the dashboard needs from the daemon. */
export type DashboardClient = {
  /** Every push after the snapshot goes to `onChange`; `onClosed` is called once, when pushes end. */
  subscribe(onChange: (change: Change) => void, onClosed: () => void): Promise<Result<Snapshot>>;
  submit(request: Request, onProgress?: (note: Note) => void): Promise<Result<Outcome>>;
  /** The last lines on the screen of a task's agent. */
  peek(taskId: string, lines: number): Promise<Result<readonly string[]>>;
};
