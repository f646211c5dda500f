import { InternalError } from './failure.js';

/** A bug that came up while one of many tasks was looked at. */
export class TaskBug extends InternalError {
  readonly taskId: string;

  constructor(taskId: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.taskId = taskId;
  }
}
