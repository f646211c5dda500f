import { describeFailure } from '../domain/describe-failure.js';
import { baseOf, KNOWN_EXTENSIONS } from '../domain/extensions.js';
import type { EventDraft } from '../domain/history-event.js';
import type { MoveRefusal } from '../domain/move-refusal.js';
import type { Moment } from '../domain/observation.js';
import {
  FIELD_NAMES,
  type FieldName,
  type FrontmatterValue,
  type TaskFields,
} from '../domain/task.js';
import type { Claims, OwnWrite, TaskState, World } from '../domain/world.js';
import {
  baseOfCopy,
  isStillMeant,
  originOf,
  writerOf,
  type Origin,
  type Writer,
} from './claims-origin.js';
import { sameValue } from './find-claims.js';
import { judgeContext } from './judge-context.js';
import { refuseMove } from './moves.js';
import { refuseBranch } from './refuse-branch.js';
import { refuseReserved } from './reservations/hold-plan.js';
import { takeOutStrange } from './take-out-strange.js';
import { tellRefusals, type Refusal } from './tell-refusals.js';
import { settingsFor } from './world-queries.js';

/** Fields an agent may change in the file; everything else belongs to the engine or the user. */
const AGENT_FIELDS: ReadonlySet<FieldName> = new Set(['summary']);
const USER_FIELDS: ReadonlySet<FieldName> = new Set(['harness', 'review_harness', 'branch']);

/** What of a file's claims is granted, and what the file and the history get for the rest. */
export function judgeClaims(world: World, task: TaskState, claims: Claims, { timestamp }: Moment) {
  const origin = originOf(world, task, claims);
  const base = origin === null ? baseOfCopy(task, claims.fields) : null;
  const isUnattended = task.fields.workspace === null;
  const fields = judgeFields(task, claims, {
    origin,
    base,
    isUnattended,
    isBranchFree: isBranchFree(world, task, claims),
  });
  const writer = writerOf(origin, isUnattended);
  const extensions = judgeExtensions(task, claims, { writer, base });
  const context = judgeContext(task, claims, { writer, timestamp });
  const taken = takeOutStrange(task, claims, { origin, timestamp });
  const status = judgeStatus(world, task, claims, { origin, base });
  const refusals = [context.refusal, status.refusal].filter((each) => each !== null);
  const telling = tellRefusals(task, refusals);
  const accepted = [...Object.keys(fields.accepted), ...extensions.accepted];
  const events: readonly EventDraft[] = [
    ...(accepted.length === 0 ? [] : [{ type: 'task.updated', fields: accepted, by: 'file' }]),
    ...fields.rejections,
    ...extensions.rejections,
    ...context.rejections,
    ...status.rejections,
    ...taken.events,
  ];
  const parts = {
    fields: fields.accepted,
    extensions: extensions.edits,
    sections: [...context.sections, ...taken.sections],
    events,
    runtime: { claims: null, ...context.runtime, ...taken.runtime, ...telling.runtime },
  };
  return { move: status.move, parts, kept: context.kept, effects: telling.effects };
}

type JudgedStatus = {
  readonly move: TaskFields['status'] | null;
  readonly rejections: readonly EventDraft[];
  readonly refusal: Refusal | null;
};

const NO_REQUEST: JudgedStatus = { move: null, rejections: [], refusal: null };

function judgeStatus(
  world: World,
  task: TaskState,
  claims: Claims,
  { origin, base }: Pick<Circumstances, 'origin' | 'base'>,
): JudgedStatus {
  const to = claims.fields.status;
  const { id, status: from } = task.fields;
  if (to === from) return NO_REQUEST;
  const stale = to === base?.fields.status ? 'stale copy' : origin;
  if (stale !== null) return { ...NO_REQUEST, rejections: [reject('status', to, stale)] };
  if (base !== null && !isStillMeant(task, base)) return refuseLate(task, to);
  const settings = settingsFor(world, task.fields.project);
  const because =
    refuseMove({ task, to, actor: 'agent', settings }) ?? refuseReserved(world, task, to);
  if (because === null) return { ...NO_REQUEST, move: to };
  const reason = refusalReason(because);
  const { message, hint } = describeFailure({ kind: 'move-refused', from, to, because, task: id });
  const cause = `${task.statusSince} ${from} ${to} ${reason}`;
  const status = hint === null ? message : `${message} ${hint}`;
  return {
    move: null,
    rejections: [reject('status', to, reason)],
    refusal: { kind: 'status', cause, status },
  };
}

/** Whoever asked does not know yet how its task has moved, and would wait for ever. */
function refuseLate({ fields, statusSince }: TaskState, to: TaskFields['status']): JudgedStatus {
  const reason: Origin = 'stale copy';
  const status = `It came with a copy of TASK.md from before the task's last move: the task is ${fields.status} now. Read TASK.md again, and ask again if you still want ${to}.`;
  return {
    move: null,
    rejections: [reject('status', to, reason)],
    refusal: { kind: 'status', cause: `${statusSince} ${to} ${reason}`, status },
  };
}

type Circumstances = {
  readonly origin: Origin;
  /** What the copy said when it was read; what still says that is merely old. */
  readonly base: OwnWrite | null;
  readonly isUnattended: boolean;
  readonly isBranchFree: boolean;
};

function isBranchFree(world: World, task: TaskState, claims: Claims): boolean {
  const { id, project } = task.fields;
  const { branch } = claims.fields;
  return refuseBranch(world, project, { id, branch, base: baseOf(task.extensions) }) === null;
}

function judgeFields(
  task: TaskState,
  claims: Claims,
  { origin, base, isUnattended, isBranchFree: canRename }: Circumstances,
): { readonly accepted: Partial<TaskFields>; readonly rejections: readonly EventDraft[] } {
  const accepted: Record<string, unknown> = {};
  const rejections: EventDraft[] = [];
  for (const name of changedFields(task, claims, base)) {
    const claimed = claims.fields[name];
    const isOpen = isUnattended && USER_FIELDS.has(name) && (name !== 'branch' || canRename);
    const isTheirs = AGENT_FIELDS.has(name) || isOpen;
    if (isTheirs && origin === null) {
      accepted[name] = claimed;
    } else if (name !== 'updated_at') {
      rejections.push(reject(name, claimed, origin ?? 'not the writer’s field'));
    }
  }
  return { accepted, rejections };
}

/** Those but the status that say neither what the record says nor what it said when they were read. */
function changedFields(
  task: TaskState,
  claims: Claims,
  base: OwnWrite | null,
): readonly FieldName[] {
  return FIELD_NAMES.filter((name) => {
    const claimed = claims.fields[name];
    const isKnown = claimed === task.fields[name] || claimed === base?.fields[name];
    return !isKnown && name !== 'status';
  });
}

function judgeExtensions(
  task: TaskState,
  claims: Claims,
  { writer, base }: { readonly writer: Writer; readonly base: OwnWrite | null },
): {
  readonly edits: Readonly<Record<string, FrontmatterValue>>;
  readonly accepted: readonly string[];
  readonly rejections: readonly EventDraft[];
} {
  const edits: Record<string, FrontmatterValue> = {};
  const accepted: string[] = [];
  const rejections: EventDraft[] = [];
  for (const key of new Set([...Object.keys(task.extensions), ...Object.keys(claims.extensions)])) {
    if (sameValue(task.extensions[key], claims.extensions[key])) continue;
    if (base !== null && sameValue(base.extensions[key], claims.extensions[key])) {
      edits[key] = task.extensions[key] ?? null;
    } else if (!mayChange(writer, key)) {
      edits[key] = task.extensions[key] ?? null;
      rejections.push(reject(key, claims.extensions[key] ?? null, 'not the writer’s field'));
    } else {
      edits[key] = claims.extensions[key] ?? null;
      accepted.push(key);
    }
  }
  return { edits, accepted, rejections };
}

/** An agent may set what orange does not know, and tags. */
function mayChange(writer: Writer, key: string): boolean {
  if (writer !== 'agent') return writer === 'user';
  return key === 'tags' || !(KNOWN_EXTENSIONS as readonly string[]).includes(key);
}

function reject(field: string, value: FrontmatterValue | number, reason: string): EventDraft {
  return { type: 'frontmatter.rejected', field, value: clip(value), reason };
}

const MAX_VALUE_LENGTH = 1000;

/** A value that fits into a line of the history: it can be as long as a whole frontmatter. */
function clip(value: FrontmatterValue | number): FrontmatterValue | number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : value;
}

function refusalReason(refusal: MoveRefusal): string {
  switch (refusal.kind) {
    case 'artifact-missing':
      return `no ## ${refusal.section}`;
    case 'verdict-says':
      return `the verdict is ${refusal.verdict}`;
    case 'gate-closed':
      return `the ${refusal.gate} gate waits for ${refusal.mode}`;
    case 'reserved':
      return `files are reserved by ${refusal.holders.join(', ')}`;
    case 'no-such-move':
    case 'terminal':
    case 'not-for-agents':
    case 'reviewer-not-started':
    case 'rounds-left':
    case 'rounds-used':
    case 'needs-merge':
      return refusal.kind;
  }
}
