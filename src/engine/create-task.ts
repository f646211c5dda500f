import type { Decision } from '../domain/decision.js';
import { textOf } from '../domain/extensions.js';
import { DEMO_HARNESS, HARNESS_PROGRAMS } from '../domain/harness-names.js';
import type { Failure } from '../domain/failure.js';
import type { EventDraft } from '../domain/history-event.js';
import type { CreateTask, ExtensionEdits, TaskRequest } from '../domain/request.js';
import type { Extensions, FrontmatterValue, TaskFields } from '../domain/task.js';
import type { TaskState, World } from '../domain/world.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { refuseBlockers } from './blockers.js';
import { refuseBranch } from './refuse-branch.js';
import { refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

/** A new task, exactly as the seed lays it out: the fourteen fields, then what was set. */
export function createTask(world: World, request: CreateTask, asked: Asked): Decision {
  const harness = chooseHarness(world, request);
  if (typeof harness !== 'string') return refuse(harness);
  const branch = request.branch ?? `orange-tasks/${asked.newId}`;
  const refusal = refuseCreation(world, request, { id: asked.newId, branch });
  if (refusal !== null) return refuse(refusal);
  const { timestamp } = asked.moment;
  const fields: TaskFields = {
    id: asked.newId,
    project: request.project,
    branch,
    harness,
    review_harness: request.reviewHarness ?? 'claude',
    status: request.status,
    review_round: request.status === 'agent-review' ? 1 : 0,
    crash_count: 0,
    summary: request.summary,
    workspace: null,
    tmux_session: null,
    pr_url: null,
    created_at: timestamp,
    updated_at: timestamp,
  };
  return {
    changes: [
      {
        kind: 'create-task',
        fields,
        extensions: setExtensions(request.extensions),
        sections:
          request.context === null
            ? []
            : [{ kind: 'set', section: 'Context', text: request.context }],
        events: [creationEvent(fields)],
        runtime: { statusSince: timestamp },
      },
    ],
    effects: [],
    failure: null,
    taskId: fields.id,
  };
}

/** The first event of a history: what the task is, and how it began. */
export function creationEvent(fields: TaskFields): EventDraft {
  const { id, project, branch, status, review_round, crash_count } = fields;
  const { harness, review_harness, summary } = fields;
  return {
    type: 'task.created',
    task_id: id,
    project,
    branch,
    status,
    ...(review_round === 0 ? {} : { review_round }),
    ...(crash_count === 0 ? {} : { crash_count }),
    harness,
    review_harness,
    ...(summary === '' ? {} : { summary }),
  };
}

/** A terminal task is never revived: its successor is a new task that points back to it. */
export function reopenTask(
  world: World,
  task: TaskState,
  request: Extract<TaskRequest, { kind: 'task.reopen' }>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'reopen', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const successor: CreateTask = {
    kind: 'task.create',
    project: task.fields.project,
    branch: null,
    summary: request.summary ?? task.fields.summary,
    harness: task.fields.harness,
    reviewHarness: task.fields.review_harness,
    context: task.context,
    status: 'pending',
    extensions: { related_to: [task.fields.id] },
  };
  return createTask(world, successor, asked);
}

function refuseCreation(
  world: World,
  request: CreateTask,
  task: { readonly id: string; readonly branch: string },
): Failure | null {
  if (!world.projects.has(request.project)) {
    const near = [...world.projects.keys()];
    return { kind: 'not-found', what: 'project', name: request.project, near };
  }
  const reviewer = request.reviewHarness;
  if (reviewer !== null && !isKnownHarness(world, request.project, reviewer)) {
    return unknownHarness(world, request.project, reviewer);
  }
  return (
    refuseBranch(world, request.project, { ...task, base: textOf(request.extensions['base']) }) ??
    refuseBlockers(world, task.id, request.extensions['blocked_by'])
  );
}

function chooseHarness(world: World, request: CreateTask): string | Failure {
  const { harness, project } = request;
  if (harness !== null) {
    return isKnownHarness(world, project, harness)
      ? harness
      : unknownHarness(world, project, harness);
  }
  const { harnessOrder } = settingsFor(world, project);
  const installed = harnessOrder.find((name) => world.installedHarnesses.has(name));
  return installed ?? { kind: 'no-harness-installed', tried: harnessOrder };
}

export function isKnownHarness(world: World, project: string, harness: string): boolean {
  return knownHarnesses(world, project).includes(harness);
}

export function unknownHarness(world: World, project: string, harness: string): Failure {
  const failure = {
    kind: 'harness-unknown',
    harness,
    known: knownHarnesses(world, project),
  } as const;
  const { rejectedSettings = null } = world;
  if (rejectedSettings === null) return failure;
  const { file, line, message, fix } = rejectedSettings;
  return { ...failure, rejected: { file, line, message, fix } };
}

function knownHarnesses(world: World, project: string): readonly string[] {
  const own = Object.keys(settingsFor(world, project).harnesses);
  return [...new Set([...Object.keys(HARNESS_PROGRAMS), DEMO_HARNESS, ...own])];
}

function setExtensions(edits: ExtensionEdits): Extensions {
  return Object.fromEntries(Object.entries(edits).filter(([, value]) => isSet(value)));
}

function isSet(value: FrontmatterValue): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
