import type { Decision } from '../domain/decision.js';
import { baseOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { EventDraft } from '../domain/history-event.js';
import type { ExtensionEdits, UpdateTask } from '../domain/request.js';
import type { Status } from '../domain/status.js';
import type { TaskFields } from '../domain/task.js';
import type { TaskState, World } from '../domain/world.js';
import type { Asked } from './refuse-action.js';
import { refuseBlockers } from './blockers.js';
import { sameValue } from './find-claims.js';
import { isKnownHarness, unknownHarness } from './create-task.js';
import { gateMode } from './gates.js';
import { gateDecided, handOver } from './hand-over.js';
import { makeMove } from './make-move.js';
import { refuseBranch } from './refuse-branch.js';
import { refuseMove } from './moves.js';
import { refuseReserved } from './reservations/hold-plan.js';
import { spawnTask } from './spawn-task.js';
import { decideUpdate, refuse } from './update-task.js';
import { isRunning, settingsFor } from './world-queries.js';

type Edits = {
  readonly fields: Partial<TaskFields>;
  readonly extensions: ExtensionEdits;
};

/** Extensions an agent may set on its own task. */
const AGENT_EXTENSIONS: ReadonlySet<string> = new Set(['tags']);

/** `task update`: a move, or an edit of what the asker owns. */
export function editTask(
  world: World,
  task: TaskState,
  request: UpdateTask,
  asked: Asked,
): Decision {
  const { id } = task.fields;
  const refusal = refuseEdit(world, task, request, asked);
  if (refusal !== null) return refuse(refusal, id);
  const to = request.status ?? task.fields.status;
  const { fields, extensions, names } = collectEdits(task, request);
  if (to !== task.fields.status) {
    const edited = withEdits(task, { fields, extensions });
    const decision = moveTask(world, edited, to, asked);
    return alongWith(decision, { fields, extensions, events: updated(names, asked, fields) });
  }
  const renames = request.branch !== undefined && request.branch !== task.fields.branch;
  if (renames && task.fields.workspace !== null) {
    return decideUpdate(
      task,
      { fields, extensions, events: updated(names, asked, fields), runtime: RENAMING },
      [{ kind: 'rename-branch', taskId: id, from: task.fields.branch, to: request.branch }],
    );
  }
  const allFields = renames ? { ...fields, branch: request.branch } : fields;
  const allNames = renames ? [...names, 'branch'] : names;
  if (allNames.length === 0) return { changes: [], effects: [], failure: null, taskId: id };
  const events = updated(allNames, asked, allFields);
  return decideUpdate(task, { fields: allFields, extensions, events });
}

const RENAMING = { activity: 'renaming' } as const;

function moveTask(world: World, task: TaskState, to: Status, asked: Asked): Decision {
  const { id, status: from, project } = task.fields;
  if (from === 'pending' && to === 'planning') {
    return spawnTask(world, task, { kind: 'task.spawn', taskId: id, force: false }, asked);
  }
  const settings = settingsFor(world, project);
  // A person who moves a task himself overrules what others have reserved.
  const because =
    refuseMove({ task, to, actor: asked.actor, settings }) ??
    (asked.actor === 'human' ? null : refuseReserved(world, task, to));
  if (because !== null) return refuse({ kind: 'move-refused', from, to, because }, id);
  const missing = refuseMissingHarness(world, task, to);
  if (missing !== null) return refuse(missing, id);
  const message = { kind: 'go-on', status: to } as const;
  const order = { actor: asked.actor, reason: '', message } as const;
  if (to === 'agent-review') return handOver(world, task, order, asked.moment);
  const isGate = from === 'working' && to === 'reviewing';
  const before = isGate ? [gateDecided(gateMode(task, settings, 'review'))] : [];
  return makeMove(world, task, { ...order, to, before }, asked.moment);
}

/** A move that needs a worker to be started is refused while its program is not there. */
export function refuseMissingHarness(world: World, task: TaskState, to: Status): Failure | null {
  const { project, harness } = task.fields;
  const isWork = to === 'planning' || to === 'working';
  if (!isWork || isRunning(task.worker) || world.installedHarnesses.has(harness)) return null;
  return isKnownHarness(world, project, harness)
    ? { kind: 'harness-not-installed', harness, program: harness }
    : unknownHarness(world, project, harness);
}

function withEdits(task: TaskState, edits: Edits): TaskState {
  const extensions = Object.entries({ ...task.extensions, ...edits.extensions });
  return {
    ...task,
    fields: { ...task.fields, ...edits.fields },
    extensions: Object.fromEntries(extensions.filter(([, value]) => value !== null)),
  };
}

/** What was asked together with a move is written together with it, or refused together with it. */
function alongWith(
  decision: Decision,
  edits: Edits & { readonly events: readonly EventDraft[] },
): Decision {
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? {
            ...change,
            fields: { ...edits.fields, ...change.fields },
            extensions: { ...edits.extensions, ...change.extensions },
            events: [...edits.events, ...change.events],
          }
        : change,
    ),
  };
}

function refuseEdit(
  world: World,
  task: TaskState,
  request: UpdateTask,
  asked: Asked,
): Failure | null {
  const { fields, activity } = task;
  if (activity !== null) return { kind: 'agent-busy', taskId: fields.id, doing: activity };
  if (asked.actor === 'agent' && editsForeignFields(request)) {
    return { kind: 'not-for-agents', action: 'update' };
  }
  const branch = request.branch ?? fields.branch;
  if (branch !== fields.branch && (request.status ?? fields.status) !== fields.status) {
    const rule = 'the branch and the status cannot be changed in one step';
    return { kind: 'invalid-argument', argument: '--branch', value: branch, rule };
  }
  return (
    refuseHarnesses(world, task, request) ??
    refuseNewBranch(world, task, branch) ??
    refuseBlockers(world, fields.id, request.extensions?.['blocked_by'])
  );
}

function refuseNewBranch(world: World, task: TaskState, branch: string): Failure | null {
  const { id, project } = task.fields;
  if (branch === task.fields.branch) return null;
  return refuseBranch(world, project, { id, branch, base: baseOf(task.extensions) });
}

function editsForeignFields(request: UpdateTask): boolean {
  const keys = Object.keys(request.extensions ?? {});
  return (
    request.harness !== undefined ||
    request.reviewHarness !== undefined ||
    keys.some((key) => !AGENT_EXTENSIONS.has(key))
  );
}

function refuseHarnesses(world: World, task: TaskState, request: UpdateTask): Failure | null {
  const { project } = task.fields;
  for (const harness of [request.harness, request.reviewHarness]) {
    if (harness !== undefined && !isKnownHarness(world, project, harness)) {
      return unknownHarness(world, project, harness);
    }
  }
  return null;
}

function collectEdits(task: TaskState, request: UpdateTask) {
  const wanted = [
    ['summary', request.summary],
    ['harness', request.harness],
    ['review_harness', request.reviewHarness],
  ] as const;
  const changed = wanted.filter(
    ([name, value]) => value !== undefined && value !== task.fields[name],
  );
  const extensions = Object.entries(request.extensions ?? {}).filter(
    ([key, value]) => !sameValue(task.extensions[key], value),
  );
  return {
    fields: Object.fromEntries(changed) satisfies Partial<TaskFields>,
    extensions: Object.fromEntries(extensions),
    names: [...changed, ...extensions].map(([name]) => name),
  };
}

/** With the values of the fourteen fields, for when the file that has them is lost. */
function updated(names: readonly string[], { actor: by }: Asked, values: Partial<TaskFields>) {
  return names.length === 0 ? [] : [{ type: 'task.updated', fields: names, by, ...values }];
}
