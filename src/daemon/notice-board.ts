import * as v from 'valibot';
import { describeBug } from '../domain/describe-bug.js';
import type { Notice } from '../domain/notice.js';
import type { Clock, Files, Log } from '../ports.js';
import { planNotices } from './plan-notices.js';

/** Why a task needs a person now, in words. */
export type TaskNeed = {
  readonly code: string;
  /** Empty for what counts as the same for as long as it lasts, whenever it was noticed. */
  readonly since: string;
  readonly text: string;
  /** What tells it from another of that code and time, such as the number of the last question. */
  readonly about?: string;
};

/** What may need a person: a task, or a file or worktree that is no task's, by its path. */
export type Subject = {
  readonly name: string;
  readonly taskId: string | null;
  readonly needs: readonly TaskNeed[];
};

type Parts = {
  readonly files: Files;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What a task, or a path, needs a person for; nothing when it is over or gone. */
  needsOf(subject: string): Subject | null;
  tell(notice: Notice): Promise<void>;
};

type Row = {
  readonly task: string;
  readonly cause: string;
  readonly since: string;
  readonly about?: string | undefined;
  readonly isTold: boolean;
};

/**
 * Everything a person has been told or is to be told: once per task and cause until the cause is
 * over, and many at once as one. It outlives the daemon, so that nothing is told twice.
 */
export class NoticeBoard {
  readonly #parts: Parts;
  #rows: readonly Row[] = [];
  readonly #dueAtMs = new Map<Row, number>();
  #toldAtMs: readonly number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  /** What an earlier daemon told and this one has not found yet. */
  readonly #unfound = new Set<Row>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier daemon left: what it had told is not told again, the rest is. */
  begin(): void {
    const file = this.#parts.files.readText(this.#parts.path, MAX_BYTES);
    const parsed = v.safeParse(BOARD, file.ok ? file.value.text : '');
    const rows = parsed.success ? parsed.output.notices : [];
    this.#rows = rows.map((row) => ({ ...row, cause: codeOf(row.cause) }));
    const now = this.#parts.clock.monotonicMs();
    this.#begunAtMs = now;
    for (const row of this.#rows) {
      if (row.isTold && row.since === '') this.#unfound.add(row);
      if (!row.isTold) this.#dueAtMs.set(row, now + (row.since === '' ? GRACE_MS : COLLECT_MS));
    }
    this.#schedule();
  }

  /** Somebody is to be told of this task; once, however often it is posted. */
  post(taskId: string, why: string): void {
    const cause = codeOf(why);
    const need = this.#needFor(taskId, cause);
    if (need !== null) this.#put({ task: taskId, cause, need });
  }

  /** Somebody is to be told of a need that was found; once, however often it is. */
  postNeed(subject: string, need: TaskNeed): void {
    this.#put({ task: subject, cause: need.code, need });
  }

  #put(news: { readonly task: string; readonly cause: string; readonly need: TaskNeed }): void {
    const { task, cause, need } = news;
    const row = { task, cause, since: need.since, about: need.about, isTold: false };
    if (this.#rows.some((known) => isSame(known, row))) return;
    const mayPass = cause === 'waiting-for-human' || row.since === '';
    const waitMs = mayPass ? GRACE_MS : COLLECT_MS;
    this.#dueAtMs.set(row, this.#parts.clock.monotonicMs() + waitMs);
    this.#keep([...this.#rows, row]);
    this.#schedule();
  }

  /** Takes down what is over. */
  tidy(): void {
    const current = this.#rows.filter((row) => this.#isCurrent(row));
    if (current.length < this.#rows.length) this.#keep(current);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Tells what is due, as far as it still holds. */
  flush(): void {
    this.tidy();
    const now = this.#parts.clock.monotonicMs();
    const due = this.#rows.filter((row) => (this.#dueAtMs.get(row) ?? Infinity) <= now);
    const plan = planNotices(due.length, this.#toldAtMs, now);
    if (plan.kind === 'wait') for (const row of due) this.#dueAtMs.set(row, plan.untilMs);
    if (plan.kind === 'each' || plan.kind === 'together') {
      const notices =
        plan.kind === 'each' ? due.map((row) => this.#single(row)) : [this.#many(due)];
      const told = new Set(due);
      // Remembered first: a notice that is lost is better than one that comes again and again.
      this.#keep(this.#rows.map((row) => (told.has(row) ? { ...row, isTold: true } : row)));
      this.#toldAtMs = [...this.#toldAtMs.slice(-REMEMBERED), ...notices.map(() => now)];
      for (const notice of notices) void this.#tell(notice);
    }
    this.#schedule();
  }

  async #tell(notice: Notice): Promise<void> {
    try {
      await this.#parts.tell(notice);
    } catch (error) {
      const bug = describeBug(error);
      this.#parts.log.write({ event: 'notice.failed', level: 'error', bug });
    }
  }

  #single(row: Row): Notice {
    const known = this.#parts.needsOf(row.task);
    const text = this.#needFor(row.task, row.cause)?.text ?? '';
    const { name: title = '', taskId = null } = known ?? {};
    return { title, text, taskId, cause: row.cause, count: 1 };
  }

  #many(rows: readonly Row[]): Notice {
    const tasks = [...new Set(rows.map(({ task }) => task))];
    const known = tasks.flatMap((task) => this.#parts.needsOf(task) ?? []);
    const names = known.map(({ name }) => name);
    const noun = known.every(({ taskId }) => taskId !== null) ? 'tasks' : 'things';
    const shown = names.slice(0, NAMES_SHOWN).join(', ');
    const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
    return {
      title: `${tasks.length} ${noun} need you`,
      text: `${shown}${more}; see: orange inbox`,
      taskId: null,
      cause: 'several',
      count: tasks.length,
    };
  }

  #needFor(taskId: string, cause: string): TaskNeed | null {
    const needs = this.#parts.needsOf(taskId)?.needs ?? [];
    return needs.find(({ code }) => code === cause) ?? needs[0] ?? null;
  }

  #isCurrent(row: Row): boolean {
    const needs = this.#parts.needsOf(row.task)?.needs ?? [];
    const isFound = needs.some(({ since, about }) => since === row.since && about === row.about);
    if (isFound) this.#unfound.delete(row);
    // What is found by looking may take its time to be found again.
    const ageMs = this.#parts.clock.monotonicMs() - this.#begunAtMs;
    return isFound || (this.#unfound.has(row) && ageMs < FOUND_AGAIN_MS);
  }

  #keep(rows: readonly Row[]): void {
    for (const row of this.#dueAtMs.keys()) if (!rows.includes(row)) this.#dueAtMs.delete(row);
    this.#rows = rows;
    const written = this.#parts.files.replace(
      this.#parts.path,
      `${JSON.stringify({ notices: rows })}\n`,
    );
    if (written.ok) return;
    const { kind: failure } = written.failure;
    this.#parts.log.write({ event: 'notices.not-kept', level: 'warn', failure });
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const next = Math.min(...this.#dueAtMs.values());
    if (next === Infinity) return;
    const delayMs = Math.max(0, next - this.#parts.clock.monotonicMs());
    this.#timer = setTimeout(() => this.flush(), delayMs);
    this.#timer.unref();
  }
}

/** How long news are collected, so that what comes together is told together. */
const COLLECT_MS = 1000;
/** An agent that waits may only have ended a turn of work, and one that saves a file be in the middle. */
const GRACE_MS = 10_000;
/** A worktree is set aside for a person after several tries, and a new daemon begins to count anew. */
const FOUND_AGAIN_MS = 300_000;
const REMEMBERED = 10;
const NAMES_SHOWN = 4;
const MAX_BYTES = 1024 * 1024;

/** Where a cause goes by another name among the needs of a task. */
const CODES: Readonly<Record<string, string>> = {
  clarification: 'question',
  reviewing: 'review',
  'not-delivered': 'undelivered',
};

/** A cause is named as the inbox names it. */
function codeOf(cause: string): string {
  return CODES[cause] ?? cause;
}

const BOARD = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    notices: v.array(
      v.object({
        task: v.string(),
        cause: v.string(),
        since: v.string(),
        about: v.optional(v.string()),
        isTold: v.boolean(),
      }),
    ),
  }),
);

function isSame(one: Row, other: Row): boolean {
  const isAlike = one.task === other.task && one.cause === other.cause;
  return isAlike && one.since === other.since && one.about === other.about;
}
