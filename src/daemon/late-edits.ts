import { join } from 'node:path';
import type { Observation } from '../domain/observation.js';
import type { Clock, Files, Log, Writers } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { digestOf, type ReplacedFile } from '../record/replace-task-file.js';
import type { TaskStore } from '../record/task-store.js';
import { findTaskProject, type TaskPlace } from './find-task-project.js';
import { judgeLateText } from './judge-late-text.js';
import { WriterQuestions } from './writer-questions.js';

const QUIET_MS = 50;
/** When to look after the last sign of a writer; after the last of these a file that nobody has open is let go. */
const LOOKS_MS = [QUIET_MS, 250, 1000, 3000, 10_000] as const;
const RETRY_MS = 3000;
/** When to look again at one that is open: twice as late each time. */
const HELD_MS = { first: 10_000, most: 60_000 } as const;
const MAX_LIFE_MS = 600_000;
const MAX_FILES = 200;
const MAX_LATE_BYTES = 16 * 1024 * 1024;

/** A replaced file that is still looked at. */
type Entry = {
  readonly file: Omit<ReplacedFile, 'base'>;
  /** The text whose words are in the task's file; null when an earlier daemon replaced it. */
  base: string | null;
  bornMs: number;
  /** The text that has been dealt with. */
  known: string | null;
  /** A newer text, seen once; taken in when the next look finds it unchanged. */
  fresh: string | null;
  changedMs: number;
  looks: number;
  dueMs: number;
  /** For how long it was left alone because somebody has it open; 0 when nobody is known to. */
  heldMs: number;
  /** Whether it has to make room for newer ones. */
  isSurplus: boolean;
};

type KeptText =
  | { readonly kind: 'text'; readonly text: string }
  /** Beyond anything that could be a task's file: its beginning. */
  | { readonly kind: 'too-large'; readonly text: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable' };

/** Not there, or nothing that anybody could have written into. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTREG', 'ELOOP']);

export type LateEditParts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  /** Null where nobody can tell who has a file open. */
  readonly writers: Writers | null;
};

/**
 * Keeps an eye on task files that orange has replaced. A writer that had one open writes into a file
 * without a name; what arrives there within some seconds, or for as long as it is open, is brought into TASK.md, or, where that
 * cannot be, kept among the task's transcripts.
 */
export class LateEdits {
  readonly #parts: LateEditParts;
  readonly #entries = new Map<string, Entry>();
  #store: TaskStore | null = null;
  #tell: (observation: Observation) => boolean = () => false;
  readonly #questions: WriterQuestions | null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LateEditParts) {
    const { writers, clock } = parts;
    this.#parts = parts;
    this.#questions = writers === null ? null : new WriterQuestions({ writers, clock });
  }

  /** Gives the store to read from and the ear for what was found; it says whether that is recorded. */
  attach(store: TaskStore, tell: (observation: Observation) => boolean): void {
    this.#store = store;
    this.#tell = tell;
  }

  add({ base, ...file }: ReplacedFile): void {
    this.#put(file, base, base);
    const surplus = this.#entries.size - MAX_FILES;
    if (surplus <= 0) return;
    // The oldest, of which nobody is known to have it open.
    const entries = [...this.#entries.values()];
    const inOrder = [...entries.filter((one) => !isHeld(one)), ...entries.filter(isHeld)];
    // Not at once: a file is replaced while a decision is being recorded.
    for (const entry of inOrder.slice(0, surplus)) {
      entry.isSurplus = true;
      entry.dueMs = 0;
    }
  }

  /**
   * Takes over what an earlier daemon kept; `projectOf` names the project of a task that is loaded.
   * Whoever had a file open then may write into it only now.
   */
  recover(projectOf: (taskId: string) => string | null): void {
    const { files, paths } = this.#parts;
    const names = files.list(paths.replacedDir);
    for (const name of names.ok ? names.value : []) {
      const path = join(paths.replacedDir, name);
      if (this.#entries.has(path)) continue;
      const [id = '', digest = ''] = name.split('~');
      const project = projectOf(id);
      const place: TaskPlace =
        project === null ? findTaskProject(this.#parts, id) : { kind: 'found', project };
      // Words of a task that only cannot be found now wait for a daemon that finds it.
      if (place.kind === 'unknown') continue;
      const read = this.#read(path);
      if (place.kind === 'absent' || read.kind === 'gone') files.remove(path);
      else {
        const isUnchanged = read.kind === 'text' && digestOf(read.text) === digest;
        const base = isUnchanged ? read.text : null;
        this.#put({ project: place.project, id, path }, base, base);
      }
    }
  }

  /** Whether anything is being looked at. */
  get isIdle(): boolean {
    return this.#entries.size === 0;
  }

  /** Looks at everything that is due. */
  look(): void {
    const now = this.#parts.clock.monotonicMs();
    for (const entry of this.#entries.values()) if (entry.dueMs <= now) this.#lookAt(entry, now);
    const asked = this.#questions?.ask();
    this.#schedule();
    void asked?.then((isAnswered) => isAnswered && this.#schedule());
  }

  /** Stops looking; the next daemon finds what is still kept. */
  close(): void {
    clearTimeout(this.#timer);
    this.#entries.clear();
    this.#questions?.clear();
  }

  #put(file: Entry['file'], base: string | null, known: string | null): void {
    const now = this.#parts.clock.monotonicMs();
    this.#entries.set(file.path, {
      file,
      base,
      bornMs: now,
      known,
      fresh: null,
      changedMs: now,
      looks: 0,
      dueMs: now + QUIET_MS,
      heldMs: 0,
      isSurplus: false,
    });
    this.#schedule();
  }

  #lookAt(entry: Entry, now: number): void {
    const read = this.#read(entry.file.path);
    if (read.kind === 'gone') {
      this.#entries.delete(entry.file.path);
      return;
    }
    if (read.kind === 'text') this.#follow(entry, read.text, now);
    const next = LOOKS_MS[entry.looks];
    entry.looks += 1;
    const isOver = next === undefined || now - entry.bornMs > MAX_LIFE_MS;
    if (entry.isSurplus || read.kind === 'too-large') this.#finish(entry, read);
    else if (isOver) this.#askWho(entry, read);
    else entry.dueMs = Math.max(now + QUIET_MS, entry.changedMs + next);
  }

  /** Lets go of what nobody has open; where nobody can tell, of all. */
  #askWho(entry: Entry, read: Exclude<KeptText, { kind: 'gone' }>): void {
    const { path } = entry.file;
    if (this.#questions === null || this.#isTaskGone(entry)) {
      this.#finish(entry, read);
      return;
    }
    entry.dueMs = Number.POSITIVE_INFINITY;
    this.#questions.put(path, (isOpen) => {
      if (this.#entries.get(path) !== entry || entry.isSurplus) return;
      const now = this.#read(path);
      if (now.kind === 'gone') this.#entries.delete(path);
      else if (isOpen) this.#hold(entry, now);
      else this.#finish(entry, now);
    });
  }

  /** Waits for whoever has it open. What makes no sense yet may do so later, but not for ever. */
  #hold(entry: Entry, read: Exclude<KeptText, { kind: 'gone' }>): void {
    const { log, clock } = this.#parts;
    const now = clock.monotonicMs();
    if (entry.heldMs === 0) log.write({ event: 'late-edit.held', task: entry.file.id });
    entry.heldMs = Math.min(Math.max(entry.heldMs * 2, HELD_MS.first), HELD_MS.most);
    entry.dueMs = now + entry.heldMs;
    if (read.kind !== 'text') return;
    const isOld = now - entry.bornMs > MAX_LIFE_MS;
    const isDealtWith =
      read.text === entry.known || (isOld && this.#takeIn(entry, read.text, 'set-aside'));
    if (isDealtWith) entry.bornMs = now;
  }

  #isTaskGone({ file: { project, id } }: Entry): boolean {
    const { files, paths } = this.#parts;
    const state = files.stat(paths.taskDir(project, id));
    return state.ok && state.value.kind === 'absent';
  }

  #follow(entry: Entry, text: string, now: number): void {
    if (text === entry.known) return;
    if (text === entry.fresh) {
      this.#takeIn(entry, text, 'wait');
      return;
    }
    entry.fresh = text;
    entry.changedMs = now;
    entry.looks = 0;
  }

  /** Whether the text has been dealt with. */
  #takeIn(entry: Entry, text: string, otherwise: 'wait' | 'set-aside'): boolean {
    const isDone = this.#deal(entry, text, otherwise);
    if (isDone) {
      entry.known = text;
      entry.fresh = null;
    }
    return isDone;
  }

  #deal(entry: Entry, text: string, otherwise: 'wait' | 'set-aside'): boolean {
    const { files, paths, log } = this.#parts;
    const store = this.#store;
    if (store === null) return false;
    const { id: taskId, project } = entry.file;
    const found = { ...entry.file, text, base: entry.base };
    const judgement = judgeLateText({ files, paths, store }, found);
    if (judgement.kind === 'nothing-new') {
      // From here on it is known what the writer goes on from.
      entry.base ??= text;
      return true;
    }
    if (judgement.kind === 'news') {
      const isTaken = this.#tell({ ...judgement, kind: 'late-edit', taskId });
      if (isTaken) entry.base = text;
      if (isTaken) log.write({ event: 'late-edit.merged', task: taskId });
      if (isTaken || otherwise === 'wait') return isTaken;
    }
    if (otherwise === 'wait') return false;
    const transcript = `late-edit-${digestOf(text)}.md`;
    const kept = store.writeTranscript({ project, id: taskId, name: transcript, text });
    if (!kept.ok) return false;
    log.write({ event: 'late-edit.kept', task: taskId, transcript });
    return this.#tell({ kind: 'edit-kept', taskId, transcript, sections: [] });
  }

  /** Looks for the last time. What can neither be taken in nor set aside now is looked at again. */
  #finish(entry: Entry, read: Exclude<KeptText, { kind: 'gone' }>): void {
    const { path } = entry.file;
    const isOpen =
      read.kind === 'unreadable' ||
      (read.text !== entry.known && !this.#takeIn(entry, read.text, 'set-aside'));
    if (isOpen) {
      entry.dueMs = this.#parts.clock.monotonicMs() + RETRY_MS;
      return;
    }
    this.#parts.files.remove(path);
    this.#entries.delete(path);
  }

  #read(path: string): KeptText {
    const { files } = this.#parts;
    const read = files.readText(path, MAX_LATE_BYTES, 'lossy');
    if (read.ok) return { kind: 'text', text: read.value.text };
    if (read.failure.kind === 'io-failed' && read.failure.code === 'EFBIG') {
      const start = files.readStart(path, MAX_LATE_BYTES);
      return start.ok ? { kind: 'too-large', text: start.value.text } : { kind: 'unreadable' };
    }
    const isGone = read.failure.kind === 'io-failed' && GONE.has(read.failure.code);
    return { kind: isGone ? 'gone' : 'unreadable' };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const dues = [...this.#entries.values()].map(({ dueMs }) => dueMs);
    const due = Math.min(...dues, this.#questions?.dueMs ?? Number.POSITIVE_INFINITY);
    if (!Number.isFinite(due)) return;
    const delayMs = Math.max(1, due - this.#parts.clock.monotonicMs());
    this.#timer = setTimeout(() => this.look(), delayMs).unref();
  }
}

function isHeld({ heldMs }: Entry): boolean {
  return heldMs > 0;
}
