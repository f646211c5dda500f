import type { Diagnostic } from '../domain/diagnostic.js';
import type { FileRead, Observation } from '../domain/observation.js';
import { success, type Result } from '../domain/result.js';
import { FIELD_NAMES, type Extensions } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import type { Clock, FileStamp } from '../ports.js';

/** What a task's file says, or why it cannot be read. */
export type FileContent =
  | {
      readonly kind: 'read';
      readonly body: string;
      readonly seen: Omit<FileRead, 'kind' | 'taskId' | 'isSettled'>;
    }
  | { readonly kind: 'unreadable'; readonly diagnostics: readonly Diagnostic[] };

export type TaskFileSource = {
  /** The stamp of the task's file, or null when there is no regular file. */
  stamp(task: TaskState): Result<FileStamp | null>;
  read(task: TaskState): FileContent;
};

type Seen = {
  /** What the file last said below its frontmatter. */
  readonly lastBody: string | null;
  readonly stamp: FileStamp | null;
  readonly content: FileContent;
  readonly changedAtMs: number;
  readonly wasSettled: boolean;
  /** Whether this content has been told as an observation. */
  readonly wasTold: boolean;
  readonly readAtMs: number;
  /** Whether the file may have changed since without a new stamp. */
  readonly isRacy: boolean;
  /** Whether the file is known to say something else by now. */
  readonly isOutdated: boolean;
};

/**
 * How hard to look: `changed` says nothing when nothing is new; `now` reads at once (a request needs
 * no settling, but does not settle the file either); `final` takes the content as settled, because
 * the agent that wrote it has ended.
 */
export type Look = 'changed' | 'now' | 'final';

/** Watches the content of task files: what changed, and whether it has been quiet long enough. */
export type TaskFileObserver = {
  observe(task: TaskState, look: Look, settleMs: number): Observation | null;
  /** Tells what a file was found to say elsewhere, so that the first look need not read it again. */
  noteRead(
    taskId: string,
    read: { readonly stamp: FileStamp; readonly content: FileContent },
  ): void;
  /** Tells that orange itself has just written the file. */
  noteWrite(task: TaskState, written: { readonly stamp: FileStamp; readonly body: string }): void;
  /** Whether the file's stamp alone shows that there is nothing to tell: the cheapest look. */
  isQuiet(task: TaskState): boolean;
  /** Whether the file's stamp is another one than that of what was last read. */
  hasNewStamp(task: TaskState): boolean;
  /** Whether a change of the file was first seen at that moment or later. */
  hasChangedSince(taskId: string, monotonicMs: number): boolean;
  /** How long until an unchanged file counts as settled; null when it does, or is not known. */
  settlesInMs(taskId: string, settleMs: number): number | null;
  /** What a file was found to say last, and the stamp it had then. */
  lastRead(taskId: string): Pick<Seen, 'stamp' | 'content'> | null;
  forget(taskId: string): void;
};

export function createTaskFileObserver(input: {
  readonly source: TaskFileSource;
  readonly clock: Clock;
}): TaskFileObserver {
  const { source, clock } = input;
  const known = new Map<string, Seen>();

  function observe(task: TaskState, look: Look, settleMs: number): Observation | null {
    const { id } = task.fields;
    const before = recheck(task, known.get(id));
    const stamp = source.stamp(task);
    const isSame = look !== 'final' && isUnchanged(before, stamp);
    const isOld = look === 'changed' && isSame && before?.wasTold === true;
    if (isOld && before.wasSettled) return null;
    const latest = isSame && before !== undefined ? before : readAgain(task, before, stamp);
    const isSettled = look === 'final' || clock.monotonicMs() - latest.changedAtMs >= settleMs;
    known.set(id, { ...latest, wasSettled: isSettled, wasTold: true });
    if (isOld && !isSettled) return null;
    return toObservation(id, latest, { isSettled, settleMs, clock });
  }

  /**
   * A second write of the same length within one tick of the file system's clock leaves the stamp as
   * it was. So what was read soon after it was written is read again until the tick is over, and
   * what is no file, and has no stamp, at every look.
   */
  function recheck(task: TaskState, before: Seen | undefined): Seen | undefined {
    if (before === undefined || !mayHideChange(before)) return before;
    const isOutdated = !sameContent(before.content, source.read(task));
    const isRacy = before.isRacy && clock.monotonicMs() - before.readAtMs < TICK_MS;
    const checked = { ...before, isRacy, isOutdated };
    known.set(task.fields.id, checked);
    return checked;
  }

  function readAgain(
    task: TaskState,
    before: Seen | undefined,
    stamp: Result<FileStamp | null>,
  ): Seen {
    const found = { stamp: stamp.ok ? stamp.value : null, content: source.read(task) };
    const changedAtMs = firstSeenMs(before, stamp, clock);
    return justRead({ ...found, lastBody: before?.lastBody ?? null }, changedAtMs, clock);
  }

  function isQuiet(task: TaskState): boolean {
    const before = known.get(task.fields.id);
    if (before === undefined || !before.wasTold || !before.wasSettled) return false;
    return !mayHideChange(before) && isUnchanged(before, source.stamp(task));
  }

  return {
    observe,
    noteRead: (taskId, read) => {
      const changedAtMs = firstSeenMs(undefined, success(read.stamp), clock);
      known.set(taskId, justRead({ ...read, lastBody: null }, changedAtMs, clock));
    },
    isQuiet,
    hasNewStamp: (task) => isNewStamp(known.get(task.fields.id), () => source.stamp(task)),
    noteWrite: (task, written) => {
      const before = known.get(task.fields.id);
      if (before !== undefined) known.set(task.fields.id, afterWrite(before, task, written, clock));
    },
    settlesInMs: (taskId, settleMs) => remainingMs(known.get(taskId), settleMs, clock),
    hasChangedSince: (taskId, monotonicMs) => (known.get(taskId)?.changedAtMs ?? 0) >= monotonicMs,
    lastRead: (taskId) => known.get(taskId) ?? null,
    forget: (taskId) => void known.delete(taskId),
  };
}

function afterWrite(
  before: Seen,
  task: TaskState,
  written: { readonly stamp: FileStamp; readonly body: string },
  clock: Clock,
): Seen {
  const after = writtenOver(before, task, written);
  if (after === null) return { ...before, lastBody: written.body };
  return { ...after, readAtMs: clock.monotonicMs(), isRacy: true };
}

/** What is known after orange itself has written fields and extensions, if the body was known. */
function writtenOver(
  before: Seen,
  { fields, extensions }: TaskState,
  { stamp, body }: { readonly stamp: FileStamp; readonly body: string },
): Seen | null {
  if (before.content.kind !== 'read' || before.content.body !== body) return null;
  const seen = { ...before.content.seen, fields, extensions };
  return { ...before, stamp, content: { ...before.content, seen } };
}

function remainingMs(seen: Seen | undefined, settleMs: number, clock: Clock): number | null {
  if (seen === undefined || seen.wasSettled) return null;
  return Math.max(0, seen.changedAtMs + settleMs - clock.monotonicMs());
}

const TICK_MS = 100;
/** As long a file that says nothing may be in the middle of being written anew. */
const REWRITE_MS = 2000;

function justRead(
  { stamp, content, lastBody }: Pick<Seen, 'stamp' | 'content' | 'lastBody'>,
  changedAtMs: number,
  clock: Clock,
): Seen {
  return {
    lastBody: content.kind === 'read' ? content.body : lastBody,
    stamp,
    content,
    changedAtMs,
    wasSettled: false,
    wasTold: false,
    readAtMs: clock.monotonicMs(),
    isRacy: stamp !== null && clock.nowMs() - stamp.mtimeMs < TICK_MS,
    isOutdated: false,
  };
}

/** Whether an unchanged stamp does not prove that the content is what it was. */
function mayHideChange({ isRacy, stamp, content }: Seen): boolean {
  return isRacy || stamp === null || isPassing(content);
}

/** Whether it was the machine that could not read the file, which leaves no trace in its stamp. */
function isPassing(content: FileContent): boolean {
  return content.kind === 'unreadable' && content.diagnostics.some(({ code }) => code === 'ORA004');
}

function sameContent(one: FileContent, other: FileContent): boolean {
  if (one.kind === 'unreadable' || other.kind === 'unreadable') {
    return JSON.stringify(one) === JSON.stringify(other);
  }
  return (
    one.body === other.body &&
    FIELD_NAMES.every((name) => one.seen.fields[name] === other.seen.fields[name]) &&
    inOrder(one.seen.extensions) === inOrder(other.seen.extensions)
  );
}

function inOrder(extensions: Extensions): string {
  return JSON.stringify(Object.entries(extensions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** At the first look a file counts as quiet since its time stamp, later since the change was seen. */
function firstSeenMs(
  before: Seen | undefined,
  stamp: Result<FileStamp | null>,
  clock: Clock,
): number {
  const now = clock.monotonicMs();
  if (before !== undefined || !stamp.ok || stamp.value === null) return now;
  return now - Math.max(0, clock.nowMs() - stamp.value.mtimeMs);
}

function toObservation(
  taskId: string,
  { content, changedAtMs, lastBody }: Seen,
  how: { readonly isSettled: boolean; readonly settleMs: number; readonly clock: Clock },
): Observation {
  const { isSettled, settleMs, clock } = how;
  if (content.kind === 'read') return { kind: 'file-read', taskId, ...content.seen, isSettled };
  const since = new Date(clock.nowMs() - (clock.monotonicMs() - changedAtMs)).toISOString();
  const lost = { dueAtMs: changedAtMs + Math.max(settleMs, REWRITE_MS), body: lastBody };
  return { kind: 'file-unreadable', taskId, since, diagnostics: content.diagnostics, lost };
}

function isNewStamp(before: Seen | undefined, stampNow: () => Result<FileStamp | null>): boolean {
  if (before === undefined) return false;
  const stamp = stampNow();
  return stamp.ok && !sameStamp(before.stamp, stamp.value);
}

function isUnchanged(before: Seen | undefined, stamp: Result<FileStamp | null>): boolean {
  if (before === undefined || before.isOutdated || !stamp.ok) return false;
  return sameStamp(before.stamp, stamp.value);
}

function sameStamp(one: FileStamp | null, other: FileStamp | null): boolean {
  if (one === null || other === null) return one === other;
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.inode === other.inode;
}
