import type { Decision, SectionEdit } from '../domain/decision.js';
import { baseOf, KNOWN_EXTENSIONS } from '../domain/extensions.js';
import type { MoveRefusal } from '../domain/move-refusal.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment } from '../domain/observation.js';
import {
  FIELD_NAMES,
  type Extensions,
  type FieldName,
  type FrontmatterValue,
  type TaskFields,
} from '../domain/task.js';
import type { Claims, TaskState, World } from '../domain/world.js';
import { refuseBranch } from './refuse-branch.js';
import { handOver } from './hand-over.js';
import { makeMove } from './make-move.js';
import { isFromEarlierRound, refuseMove } from './moves.js';
import { refuseReserved } from './reservations/hold-plan.js';
import { updateTask } from './update-task.js';
import { settingsFor } from './world-queries.js';

/** Fields an agent may change in the file; everything else belongs to the engine or the user. */
const AGENT_FIELDS: ReadonlySet<FieldName> = new Set(['summary']);
const USER_FIELDS: ReadonlySet<FieldName> = new Set(['harness', 'review_harness', 'branch']);

/**
 * Deals with a file whose frontmatter or Context differs from the record. `status` is a request that
 * passes the table and the gates or is put back; what the writer does not own is put back; each
 * refusal leaves an event. While no agent is around, a hand edit of a user's field is the user's.
 */
export function resolveClaims(world: World, task: TaskState, moment: Moment): Decision {
  const { claims } = task;
  if (claims === null) return { changes: [], effects: [], failure: null, taskId: null };
  const isStale = claims.fields.updated_at < task.fields.updated_at;
  const isUnattended = task.fields.workspace === null;
  const fields = judgeFields(task, claims, {
    isStale,
    isUnattended,
    isBranchFree: isBranchFree(world, task, claims),
  });
  const extensions = judgeExtensions(task, claims, isUnattended);
  const context = judgeContext(task, claims, isUnattended);
  const status = judgeStatus(world, task, claims, isStale);
  const accepted = [...Object.keys(fields.accepted), ...extensions.accepted];
  const events: readonly EventDraft[] = [
    ...(accepted.length === 0 ? [] : [{ type: 'task.updated', fields: accepted, by: 'file' }]),
    ...fields.rejections,
    ...extensions.rejections,
    ...context.rejections,
    ...status.rejections,
  ];
  const parts = {
    fields: fields.accepted,
    extensions: extensions.edits,
    sections: [...context.sections, ...staleReview(task, claims)],
    events,
    runtime: { claims: null, context: context.kept },
  };
  if (status.move === null) {
    return {
      changes: [updateTask(task, parts)],
      effects: [],
      failure: null,
      taskId: task.fields.id,
    };
  }
  const order = {
    actor: 'agent',
    reason: '',
    before: events,
    fields: fields.accepted,
    sections: parts.sections,
  } as const;
  const decision =
    status.move === 'agent-review'
      ? handOver(world, task, order, moment)
      : makeMove(world, task, { ...order, to: status.move }, moment);
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? {
            ...change,
            extensions: extensions.edits,
            runtime: { ...change.runtime, ...parts.runtime },
          }
        : change,
    ),
  };
}

/** A Review that an old copy of the file brings back is taken out again: it is of another round. */
function staleReview(task: TaskState, claims: Claims): readonly SectionEdit[] {
  const isBack = task.fields.status === 'agent-review' && task.artifacts.reviewDigest !== null;
  if (!isBack || !isFromEarlierRound(task)) return [];
  const transcript = `review-${claims.fields.review_round}-again.md`;
  return [{ kind: 'move-out', section: 'Review', transcript }];
}

function judgeStatus(
  world: World,
  task: TaskState,
  claims: Claims,
  isStale: boolean,
): { readonly move: TaskFields['status'] | null; readonly rejections: readonly EventDraft[] } {
  const to = claims.fields.status;
  if (to === task.fields.status) return { move: null, rejections: [] };
  if (isStale) return { move: null, rejections: [reject('status', to, 'stale copy')] };
  const settings = settingsFor(world, task.fields.project);
  const refusal =
    refuseMove({ task, to, actor: 'agent', settings }) ?? refuseReserved(world, task, to);
  if (refusal === null) return { move: to, rejections: [] };
  return { move: null, rejections: [reject('status', to, refusalReason(refusal))] };
}

type Circumstances = {
  readonly isStale: boolean;
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
  { isStale, isUnattended, isBranchFree: canRename }: Circumstances,
): { readonly accepted: Partial<TaskFields>; readonly rejections: readonly EventDraft[] } {
  const accepted: Record<string, unknown> = {};
  const rejections: EventDraft[] = [];
  for (const name of FIELD_NAMES) {
    const claimed = claims.fields[name];
    if (claimed === task.fields[name] || name === 'status') continue;
    const isOpen = isUnattended && USER_FIELDS.has(name) && (name !== 'branch' || canRename);
    const isTheirs = AGENT_FIELDS.has(name) || isOpen;
    if (isTheirs && !isStale) {
      accepted[name] = claimed;
    } else if (name !== 'updated_at') {
      rejections.push(reject(name, claimed, isStale ? 'stale copy' : 'not the writer’s field'));
    }
  }
  return { accepted, rejections };
}

function judgeExtensions(
  task: TaskState,
  claims: Claims,
  isUnattended: boolean,
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
    const isOurs = (KNOWN_EXTENSIONS as readonly string[]).includes(key) && key !== 'tags';
    if (isOurs && !isUnattended) {
      edits[key] = task.extensions[key] ?? null;
      rejections.push(reject(key, claims.extensions[key] ?? null, 'not the writer’s field'));
    } else {
      edits[key] = claims.extensions[key] ?? null;
      accepted.push(key);
    }
  }
  return { edits, accepted, rejections };
}

function judgeContext(
  task: TaskState,
  claims: Claims,
  isUnattended: boolean,
): {
  readonly kept: string | null;
  readonly sections: readonly SectionEdit[];
  readonly rejections: readonly EventDraft[];
} {
  if (claims.context === task.context || isUnattended) {
    return { kept: claims.context, sections: [], rejections: [] };
  }
  return {
    kept: task.context,
    sections: [restoreContext(task.context)],
    rejections: [{ type: 'context.restored', reason: '## Context is read-only for agents' }],
  };
}

function restoreContext(context: string | null): SectionEdit {
  return context === null
    ? { kind: 'move-out', section: 'Context', transcript: 'context-refused.md' }
    : { kind: 'set', section: 'Context', text: context };
}

/** Whether two frontmatter values say the same. */
export function sameValue(
  one: FrontmatterValue | undefined,
  other: FrontmatterValue | undefined,
): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Whether the file says anything that the record does not. */
export function findClaims(
  task: Pick<TaskState, 'fields' | 'extensions' | 'context'>,
  file: Claims,
): Claims | null {
  const isSame =
    FIELD_NAMES.every((name) => task.fields[name] === file.fields[name]) &&
    sameExtensions(task.extensions, file.extensions) &&
    task.context === file.context;
  return isSame ? null : file;
}

function sameExtensions(one: Extensions, other: Extensions): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => sameValue(one[key], other[key]));
}

function reject(field: string, value: FrontmatterValue | number, reason: string): EventDraft {
  return { type: 'frontmatter.rejected', field, value, reason };
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
