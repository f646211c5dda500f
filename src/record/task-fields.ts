import type { Diagnostic } from '../domain/diagnostic.js';
import { isStatus, STATUSES, type Status } from '../domain/status.js';
import { isProjectName, isTaskId } from '../domain/task-id.js';
import type { FieldName, TaskFields } from '../domain/task.js';
import { errorAt, type DiagnosticCode } from './diagnostic-codes.js';
import { nearestWord } from './nearest-word.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';
import { readTimestamp } from './timestamp.js';

/**
 * What `id` and `project` in a file are: they agree with its folder, or the file is not this task's;
 * or, for a task that is known, they are claimed like any other field.
 */
export type Names = 'agree' | 'claimed';

export type FieldContext = {
  readonly file: string;
  readonly expected: { readonly id: string; readonly project: string } | null;
  readonly names: Names;
  readonly now: string;
  readonly harness: string;
};

export type FieldsReading = {
  /** Null when any diagnostic is an error. */
  readonly fields: TaskFields | null;
  readonly diagnostics: readonly Diagnostic[];
};

/** Reads the fourteen fields with their defaults and reports every wrong one, not only the first. */
export function readFields(
  entries: readonly FrontmatterEntry[],
  context: FieldContext,
): FieldsReading {
  const cells = new Cells(entries, context);
  const id = cells.name('id', isTaskId);
  const createdAt = cells.time('created_at', null);
  const updatedAt = cells.time('updated_at', createdAt);
  const fields: TaskFields = {
    id,
    project: cells.name('project', isProjectName),
    branch: cells.text('branch', `orange-tasks/${id}`),
    harness: cells.text('harness', context.harness),
    review_harness: cells.text('review_harness', 'claude'),
    status: cells.status(),
    review_round: cells.count('review_round'),
    crash_count: cells.count('crash_count'),
    summary: cells.text('summary', ''),
    workspace: cells.nullable('workspace'),
    tmux_session: cells.nullable('tmux_session'),
    pr_url: cells.nullable('pr_url'),
    created_at: createdAt ?? updatedAt ?? context.now,
    updated_at: updatedAt ?? context.now,
  };
  return { fields: cells.diagnostics.length === 0 ? fields : null, diagnostics: cells.diagnostics };
}

/** The lines of one frontmatter, read by kind; problems collect on the side. */
class Cells {
  readonly diagnostics: Diagnostic[] = [];
  readonly #entries: ReadonlyMap<string, FrontmatterEntry>;
  readonly #context: FieldContext;

  constructor(entries: readonly FrontmatterEntry[], context: FieldContext) {
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
    this.#context = context;
  }

  nullable(name: FieldName): string | null {
    const value = this.#entries.get(name)?.value ?? null;
    if (value === null || typeof value === 'string') return value === '' ? null : value;
    this.#report('ORA032', name, `${name} must be a single value`, `write ${name} on one line`);
    return null;
  }

  text(name: FieldName, fallback: string): string {
    return this.nullable(name) ?? fallback;
  }

  name(name: 'id' | 'project', isValid: (value: string) => boolean): string {
    const expected = this.#context.expected?.[name] ?? null;
    const value = this.nullable(name);
    if (value === null) {
      if (expected !== null) return expected;
      this.#report('ORA030', name, `${name} is missing`, `add a line \`${name}: …\``);
      return '';
    }
    if (expected !== null && this.#context.names === 'claimed') return value;
    if (!isValid(value)) {
      const rule = name === 'id' ? 'letters and digits only' : 'letters, digits, `.`, `_` and `-`';
      this.#report('ORA036', name, `${name} is not a valid name`, `use ${rule}`);
    } else if (expected !== null && expected !== value) {
      const message = `${name} is ${value}, but the file lies under ${expected}`;
      this.#report('ORA031', name, message, `write \`${name}: ${expected}\``);
    }
    return value;
  }

  status(): Status {
    const value = this.text('status', 'pending');
    if (isStatus(value)) return value;
    const near = nearestWord(value.toLowerCase(), STATUSES);
    const fix = near === null ? `use one of ${STATUSES.join(', ')}` : `write \`status: ${near}\``;
    this.#report('ORA033', 'status', `${clip(value)} is not a status`, fix);
    return 'pending';
  }

  count(name: FieldName): number {
    const value = this.text(name, '0');
    if (/^(?:0|[1-9][0-9]{0,8})$/.test(value)) return Number(value);
    this.#report('ORA034', name, `${name} is not a whole number`, `write \`${name}: 0\``);
    return 0;
  }

  time(name: FieldName, fallback: string | null): string | null {
    const value = this.nullable(name);
    if (value === null) return fallback;
    const time = readTimestamp(value);
    if (time !== null) return time;
    this.#report('ORA035', name, `${name} is not a time`, 'write it like 2026-01-31T09:30:00Z');
    return fallback;
  }

  #report(code: DiagnosticCode, name: FieldName, message: string, fix: string): void {
    const line = this.#entries.get(name)?.line ?? 1;
    this.diagnostics.push(errorAt(code, { file: this.#context.file, line, message, fix }));
  }
}

function clip(value: string): string {
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}
