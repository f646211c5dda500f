import { basename, join } from 'node:path';
import type { Finding } from '../../domain/finding.js';
import type { Failure } from '../../domain/failure.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { Observation } from '../../domain/observation.js';
import type { Clock, Files, FileStamp } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import { formatProjects } from '../../record/projects-file.js';
import { MAX_TASK_FILE_BYTES } from '../../record/split-frontmatter.js';
import { parseTaskFile } from '../../record/task-file.js';
import { lastGoodProjects } from '../../record/last-good-projects.js';
import type { TaskStore } from '../../record/task-store.js';
import { CopyOrigins } from '../copy-origins.js';
import type { LiveWorld } from '../live-world.js';
import type { PoolKeeper } from '../pool-keeper.js';
import { mendTaskLink } from '../read-task-content.js';
import type { Done } from './done.js';

export type RecordMendParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly pool: PoolKeeper;
  readonly clock: Clock;
  /** Takes in projects and settings as their files now are. */
  reloadSettings(): void;
  /** Has a TASK.md that says nothing, or is gone, written anew with what is known. */
  restoreFile(taskId: string): Promise<Result<string | null>>;
  /** Looks once at a task that nobody watches, and judges what its file claims. */
  judge(taskId: string): void;
  /** Puts into a task's history that words were set aside, where the inbox finds them. */
  onKept(kept: Extract<Observation, { kind: 'edit-kept' }>): void;
};

/** How long a copy must be untouched before it counts as whole. */
const QUIET_MS = 1500;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export async function rewritePool(
  { pool, world }: RecordMendParts,
  finding: Finding,
): Promise<Result<Done>> {
  const written = pool.rewrite(world);
  return written.ok ? success({ message: `wrote ${finding.path ?? ''} anew` }) : written;
}

/** Puts the last valid projects.json back; what stood there is kept beside it. */
export async function restoreProjects(parts: RecordMendParts): Promise<Result<Done>> {
  const { files, paths } = parts;
  const last = lastGoodProjects(files, paths).read();
  const path = paths.projectsFile;
  if (last === null) return failed({ kind: 'not-found', what: 'file', name: path });
  const damaged = files.readText(path, MAX_KEPT_BYTES, 'lossy');
  const kept = `${path}.damaged`;
  const copied = damaged.ok ? files.replace(kept, damaged.value.text) : damaged;
  if (damaged.ok && !copied.ok) return copied;
  const written = files.replace(path, formatProjects(last));
  if (!written.ok) return written;
  parts.reloadSettings();
  const note = damaged.ok ? `; what stood there is ${kept}` : '';
  return success({ message: `brought back the last valid ${path}${note}` });
}

export async function linkTaskFile(
  parts: RecordMendParts,
  finding: Finding,
): Promise<Result<Done>> {
  const task = parts.world.tasks.get(finding.task_id ?? '');
  const path = finding.path ?? '';
  if (task === undefined) return failed({ kind: 'not-found', what: 'task', name: path });
  const isSettled = ({ mtimeMs }: FileStamp): boolean => parts.clock.nowMs() - mtimeMs >= QUIET_MS;
  const rest = {
    isQuiet: isSettled,
    isSettled,
    isTaken: () => false,
    noteTaken: () => undefined,
  };
  const link = { ...parts, origins: new CopyOrigins(parts) };
  const first = mendTaskLink(link, task, rest);
  const keptEdit = first.kind === 'kept' ? first.transcript : task.keptEdit;
  if (first.kind === 'kept') {
    const { transcript } = first;
    parts.onKept({ kind: 'edit-kept', taskId: task.fields.id, transcript, sections: [] });
  }
  const state = first.kind === 'kept' ? mendTaskLink(link, { ...task, keptEdit }, rest) : first;
  if (state.kind === 'unsettled') {
    return failed({ kind: 'io-failed', path, operation: 'link', code: 'EBUSY' });
  }
  if (state.kind === 'hindered') return failed(state.failure);
  if (state.kind === 'unusable') return failed(whyNotTaken(parts.files, path, task.fields));
  const note = first.kind === 'kept' ? `; what stood there is transcripts/${first.transcript}` : '';
  return success({ message: `linked ${path} again${note}` });
}

function whyNotTaken(
  files: Files,
  path: string,
  { id, project }: { readonly id: string; readonly project: string },
): Failure {
  const copy = files.readText(path, MAX_TASK_FILE_BYTES);
  if (!copy.ok) return copy.failure;
  const parsed = parseTaskFile(copy.value.text, path, { expected: { id, project } });
  if (!parsed.ok) return { kind: 'file-rejected', diagnostics: parsed.diagnostics };
  return { kind: 'io-failed', path, operation: 'link', code: 'EBUSY' };
}

/** Has what the file of a finished task claims judged like any other edit. */
export async function judgeClaims(parts: RecordMendParts, finding: Finding): Promise<Result<Done>> {
  const taskId = finding.task_id ?? '';
  parts.judge(taskId);
  const task = parts.world.tasks.get(taskId);
  if (task === undefined) return failed({ kind: 'not-found', what: 'task', name: taskId });
  const { project, status } = task.fields;
  if (task.claims === null) return success({ message: `put the status back to ${status}` });
  const path = parts.paths.taskFile(project, taskId);
  return failed({ kind: 'io-failed', path, operation: 'replace', code: 'EBUSY' });
}

/** Cuts a line that was never finished; the cut text goes into the history itself. */
export async function cutHistory(
  { files, world }: RecordMendParts,
  finding: Finding,
): Promise<Result<Done>> {
  const path = finding.path ?? '';
  const cut = files.appendLines(path, []);
  if (!cut.ok) return cut;
  world.tornHistories.delete(finding.task_id ?? '');
  const { repaired } = cut.value;
  if (repaired === null) return success({ message: `completed the last line of ${path}` });
  return success({
    message: `cut an unfinished line off ${path}`,
    event: { type: 'history.repaired', cut: repaired.slice(0, 200) },
  });
}

/** An intent that cannot be read is kept where nobody takes it for one. */
export async function setIntentAside(
  { files, paths, world }: RecordMendParts,
  finding: Finding,
): Promise<Result<Done>> {
  const path = finding.path ?? '';
  const directory = paths.damagedIntentsDir;
  const made = files.makeDirectory(directory);
  if (!made.ok) return made;
  const text = files.readText(path, MAX_KEPT_BYTES, 'lossy');
  // A link, a pipe or a folder holds no intent of ours.
  const kept = join(directory, basename(path));
  const copied = text.ok ? files.replace(kept, text.value.text) : success(undefined);
  if (!copied.ok) return copied;
  const removed = files.remove(path);
  if (!removed.ok) return removed;
  world.problems.delete(path);
  return success({ message: `set ${path} aside${text.ok ? ` as ${kept}` : ''}` });
}
