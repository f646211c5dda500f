import type { Decision } from '../domain/decision.js';
import type { Failure } from '../domain/failure.js';
import type { UpdateTask } from '../domain/request.js';
import type { TaskFields } from '../domain/task.js';
import type { TaskState, World } from '../domain/world.js';
import type { Asked } from './refuse-action.js';
import { refuseBlockers } from './blockers.js';
import { sameValue } from './claims.js';
import { isKnownHarness, refuseBranch, unknownHarness } from './create-task.js';
import { makeMove } from './make-move.js';
import { refuseMove } from './moves.js';
import { spawnTask } from './spawn-task.js';
import { decideUpdate, refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

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
  if (request.status !== undefined) return moveTask(world, task, request, asked);
  const { fields, extensions, names } = collectEdits(task, request);
  const renames = request.branch !== undefined && request.branch !== task.fields.branch;
  if (renames && task.fields.workspace !== null) {
    return decideUpdate(
      task,
      { fields, extensions, events: updated(names, asked), runtime: { activity: 'renaming' } },
      [{ kind: 'rename-branch', taskId: id, from: task.fields.branch, to: request.branch }],
    );
  }
  const allFields = renames ? { ...fields, branch: request.branch } : fields;
  const allNames = renames ? [...names, 'branch'] : names;
  if (allNames.length === 0) return { changes: [], effects: [], failure: null, taskId: id };
  return decideUpdate(task, { fields: allFields, extensions, events: updated(allNames, asked) });
}

function moveTask(world: World, task: TaskState, request: UpdateTask, asked: Asked): Decision {
  const { id, status: from, project } = task.fields;
  const to = request.status ?? from;
  if (to === from) return { changes: [], effects: [], failure: null, taskId: id };
  if (from === 'pending' && to === 'planning') {
    return spawnTask(world, task, { kind: 'task.spawn', taskId: id, force: false }, asked);
  }
  const settings = settingsFor(world, project);
  const because = refuseMove({ task, to, actor: asked.actor, settings });
  if (because !== null) return refuse({ kind: 'move-refused', from, to, because }, id);
  const message = { kind: 'go-on', status: to } as const;
  return makeMove(world, task, { to, actor: asked.actor, reason: '', message }, asked.moment);
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
  return (
    refuseHarnesses(world, task, request) ??
    refuseBranch(world, fields.project, { id: fields.id, branch }) ??
    refuseBlockers(world, fields.id, request.extensions?.['blocked_by'])
  );
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

function updated(names: readonly string[], asked: Asked) {
  return names.length === 0 ? [] : [{ type: 'task.updated', fields: names, by: asked.actor }];
}
