import { isAboutFile } from '../domain/diagnostic.js';
import type { Failure } from '../domain/failure.js';
import type { TaskRequest } from '../domain/request.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';

/**
 * Why a wish cannot be met while nobody can read the task's file: an agent that is ended for it, or
 * started, might be another one than the file names. To give the task up needs no word of it.
 */
export function refuseUnread(task: TaskState, request: TaskRequest): Failure | null {
  const diagnostics = task.problems.filter(isAboutFile);
  if (diagnostics.length === 0 || !needsFile(request)) return null;
  return { kind: 'file-rejected', diagnostics };
}

function needsFile(request: TaskRequest): boolean {
  if (WITHOUT_FILE.has(request.kind)) return false;
  if (request.kind !== 'task.update') return true;
  // What is only written is refused by the write, which knows why.
  const { status, branch } = request;
  const isMove = status !== undefined && !isTerminal(status);
  return isMove || branch !== undefined;
}

const WITHOUT_FILE: ReadonlySet<TaskRequest['kind']> = new Set([
  'task.cancel',
  'task.delete',
  'task.send',
  'task.report',
  'task.drift',
  'task.unlock',
  'task.restore',
]);
