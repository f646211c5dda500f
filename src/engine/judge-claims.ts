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
import type { Claims, TaskState, World } from '../domain/world.js';
import { originOf, writerOf, type Origin, type Writer } from './claims-origin.js';
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
  const isUnattended = task.fields.workspace === null;
  const fields = judgeFields(task, claims, {
    origin,
    isUnattended,
    isBranchFree: isBranchFree(world, task, claims),
  });
  const writer = writerOf(origin, isUnattended);
  const extensions = judgeExtensions(task, claims, writer);
  const context = judgeContext(task, claims, { writer, timestamp });
  const taken = takeOutStrange(task, claims, { origin, timestamp });
  const status = judgeStatus(world, task, claims, origin);
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

function judgeStatus(world: World, task: TaskState, claims: Claims, origin: Origin): JudgedStatus {
  const to = claims.fields.status;
  const { id, status: from } = task.fields;
  if (to === from) return NO_REQUEST;
  if (origin !== null) return { ...NO_REQUEST, rejections: [reject('status', to, origin)] };
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

type Circumstances = {
  readonly origin: Origin;
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
  { origin, isUnattended, isBranchFree: canRename }: Circumstances,
): { readonly accepted: Partial<TaskFields>; readonly rejections: readonly EventDraft[] } {
  const accepted: Record<string, unknown> = {};
  const rejections: EventDraft[] = [];
  for (const name of FIELD_NAMES) {
    const claimed = claims.fields[name];
    if (claimed === task.fields[name] || name === 'status') continue;
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

function judgeExtensions(
  task: TaskState,
  claims: Claims,
  writer: Writer,
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
    if (!mayChange(writer, key)) {
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
