import type { Call, Note, Outcome, Results, SalvageOutcome } from '../api/protocol.js';
import { addedCommands } from '../domain/added-commands.js';
import type { Moment } from '../domain/observation.js';
import type {
  Actor,
  ProjectRequest,
  Request,
  SalvageRequest,
  TaskRequest,
  WorkspaceRequest,
} from '../domain/request.js';
import { DONE, failed, success, type Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { Project } from '../domain/project.js';
import type { Repositories, Sessions } from '../ports.js';
import { projectSettingsFile } from '../record/paths.js';
import { REQUESTS_PER_HOUR, type AgentAllowance } from './agent-allowance.js';
import {
  nextRows,
  projectViews,
  queueOf,
  taskView,
  taskViews,
  workspaceViews,
} from './build-view.js';
import { answerLock, isLockRequest } from './answer-lock.js';
import { listLocks } from '../engine/reservations/list-locks.js';
import type { LockBook } from './lock-book.js';
import type { LiveWorld } from './live-world.js';
import type { Trust } from './load-settings.js';
import type { Loop } from './loop.js';
import type { Mender } from './mend/mender.js';

export type CallParts = {
  readonly world: LiveWorld;
  readonly loop: Loop;
  readonly allowance: AgentAllowance;
  readonly mender: Mender;
  readonly locks: LockBook;
  readonly sessions: Sessions;
  readonly repositories: Repositories;
  now(): Moment;
  trustOf(project: string): Trust;
  workspacePath(workspace: string): string;
  answerProject(request: ProjectRequest): Promise<Result<Project>>;
  answerWorkspace(request: WorkspaceRequest, onStep: (step: string) => void): Promise<Result<void>>;
  answerSalvage(request: SalvageRequest): Promise<Result<SalvageOutcome>>;
  status(): Results['status'];
  stop(): void;
  /** Takes in settings that changed since they were last read. */
  refreshSettings(): void;
  /** Registers who wants to hear what is being done for a request. */
  onProgress(requestId: string, listener: (note: Note) => void): void;
};

/** Answers one call from the socket. */
export async function answerCall(
  parts: CallParts,
  call: Call,
  progress: (note: Note) => void,
): Promise<Result<Results[keyof Results]>> {
  switch (call.method) {
    case 'submit':
      return submit(parts, call, progress);
    case 'snapshot':
    case 'subscribe':
      return success(snapshotOf(parts));
    case 'status':
      return success(parts.status());
    case 'next':
      return success(nextRows(parts.world, parts.now()));
    case 'locks':
      return success(listLocks(parts.world, (ttl) => parts.locks.leaseEnd(ttl)));
    case 'check-locks':
      return parts.locks.check(call);
    case 'peek':
      return peek(parts, call);
    case 'doctor':
      return success(await parts.mender.diagnose());
    case 'mend':
      if (call.actor === 'agent') return failed({ kind: 'not-for-agents', action: 'mend' });
      return success(await parts.mender.mend(call.order));
    case 'stop':
      parts.stop();
      return success(null);
  }
}

export function snapshotOf(parts: CallParts): Snapshot {
  const { world } = parts;
  const moment = parts.now();
  return {
    tasks: taskViews(world, world.tasks.values(), moment),
    projects: projectViews(world, (name) => parts.trustOf(name)),
    workspaces: workspaceViews(world, (name) => parts.workspacePath(name)),
    problems: [...world.problems.values()].flat(),
    queue: queueOf(world, moment),
  };
}

async function submit(
  parts: CallParts,
  { request, actor }: { readonly request: Request; readonly actor: Actor },
  progress: (note: Note) => void,
): Promise<Result<Outcome>> {
  parts.refreshSettings();
  if (isTaskRequest(request)) return submitTask(parts, request, actor, progress);
  if (isLockRequest(request)) {
    const lock = answerLock(parts, request);
    return lock.ok ? success({ ...NO_OUTCOME, ...lock.value }) : lock;
  }
  if (actor === 'agent') return failed({ kind: 'not-for-agents', action: request.kind });
  if (isProjectRequest(request)) {
    const project = await parts.answerProject(request);
    if (!project.ok) return project;
    const views = projectViews(parts.world, (name) => parts.trustOf(name));
    const view = views.find(({ name }) => name === project.value.name);
    return success({
      ...NO_OUTCOME,
      project: view ?? { ...project.value, trusted: 'none-needed' },
      notes: request.kind === 'project.trust' ? notesOnCommands(parts, request.name) : [],
    });
  }
  if (isSalvageRequest(request)) {
    const answer = await parts.answerSalvage(request);
    return answer.ok ? success({ ...NO_OUTCOME, salvage: answer.value }) : answer;
  }
  const done = await parts.answerWorkspace(request, (text) => progress({ code: 'step', text }));
  if (!done.ok) return done;
  const workspaces = workspaceViews(parts.world, (name) => parts.workspacePath(name));
  const wanted = request.project;
  return success({
    ...NO_OUTCOME,
    workspaces: workspaces.filter(({ project }) => wanted === null || project === wanted),
  });
}

const NO_OUTCOME: Outcome = { task: null, project: null, workspaces: [], notes: [] };

/** Refuses what needs no decision of the engine. */
async function refuseUnheard(
  { allowance, repositories }: CallParts,
  request: TaskRequest,
  actor: Actor,
): Promise<Result<void>> {
  if (actor === 'agent' && 'taskId' in request && !allowance.take(request.taskId)) {
    return failed({ kind: 'asked-too-often', perHour: REQUESTS_PER_HOUR });
  }
  const branch = 'branch' in request ? (request.branch ?? null) : null;
  return branch === null ? DONE : repositories.checkBranchName(branch);
}

async function submitTask(
  parts: CallParts,
  request: TaskRequest,
  actor: Actor,
  progress: (note: Note) => void,
): Promise<Result<Outcome>> {
  const refused = await refuseUnheard(parts, request, actor);
  if (!refused.ok) return refused;
  const answer = await parts.loop.ask(request, actor, (id) => {
    parts.onProgress(id, progress);
  });
  if (!answer.ok) return answer;
  const task = answer.value === null ? undefined : parts.world.tasks.get(answer.value);
  const view = task === undefined ? null : taskView(parts.world, task, parts.now());
  const dirty = request.kind === 'task.create' ? await notesOnCreation(parts, request.project) : [];
  const isStart = request.kind === 'task.create' || request.kind === 'task.spawn';
  const untrusted = isStart && view !== null ? notesOnTrust(parts, view.fields.project) : [];
  return success({ ...NO_OUTCOME, task: view, notes: [...dirty, ...untrusted] });
}

/** What a project that has just been trusted may run from now on. */
function notesOnCommands({ world }: CallParts, name: string): readonly Note[] {
  const [own, user] = [world.settings.get(name), world.settings.get('')];
  if (own === undefined || user === undefined) return [];
  return addedCommands(own, user).map((command) => ({
    code: 'trusted-command',
    text: `may be run from now on: ${command}`,
  }));
}

/** Commands of the project that are left out until somebody trusts them. */
function notesOnTrust({ world }: CallParts, name: string): readonly Note[] {
  const file = projectSettingsFile(world.projects.get(name)?.path ?? '');
  const problems = world.problems.get(file) ?? [];
  return problems
    .filter(({ code }) => code === 'ORA083')
    .map(({ message, fix }) => ({
      code: 'untrusted-commands',
      text: `${file}: ${message}; ${fix}`,
    }));
}

/** What the person should know: the agent starts from commits, not from the checkout. */
async function notesOnCreation(parts: CallParts, name: string): Promise<readonly Note[]> {
  const project = parts.world.projects.get(name);
  if (project === undefined) return [];
  const isDirty = await parts.repositories.hasUncommittedWork(project.path);
  if (!isDirty.ok || !isDirty.value) return [];
  const text = `${project.path} has uncommitted changes, which the task's worktree does not have`;
  return [{ code: 'uncommitted-changes', text }];
}

async function peek(
  parts: CallParts,
  { taskId, lines }: { readonly taskId: string; readonly lines: number },
): Promise<Result<Results['peek']>> {
  const task = parts.world.tasks.get(taskId);
  if (task === undefined) return failed({ kind: 'not-found', what: 'task', name: taskId });
  const session = task.fields.tmux_session;
  const agent = task.reviewer.kind === 'live' ? task.reviewer : task.worker;
  if (session === null || agent.kind !== 'live') {
    return failed({ kind: 'agent-not-running', taskId, window: WORKER_WINDOW });
  }
  const screen = await parts.sessions.capture({ session, window: agent.window }, lines);
  return screen.ok ? success({ lines: screen.value }) : screen;
}

function isTaskRequest(request: Request): request is TaskRequest {
  return request.kind.startsWith('task.');
}

function isProjectRequest(request: Request): request is ProjectRequest {
  return request.kind.startsWith('project.');
}

function isSalvageRequest(request: Request): request is SalvageRequest {
  return request.kind.startsWith('salvage.');
}
