import { join } from 'node:path';
import { setImmediate as aTurnLater } from 'node:timers/promises';
import { describeFailure } from '../domain/describe-failure.js';
import { baseOf, textOf } from '../domain/extensions.js';
import type { StartAgent } from '../domain/effect.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import { slotOf } from '../domain/pool.js';
import { DONE, failed, success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import { agentEnvironment } from '../harness/agent-environment.js';
import { messageText } from '../harness/messages.js';
import {
  resumePrompt,
  reviewerPrompt,
  workerPrompt,
  type PromptFacts,
} from '../harness/prompts.js';
import type { Launch } from '../ports.js';
import { chooseConversation } from './choose-conversation.js';
import type { Execution } from './execution.js';
import { prepareWorktree } from './prepare-worktree.js';
import { writeHooks } from './write-hooks.js';

/**
 * Takes the worktree, makes the branch, links TASK.md and starts the agent. Whatever fails on the
 * way, a worktree that was taken for this start is given back.
 */
export async function startAgent(execution: Execution, effect: StartAgent): Promise<Observation> {
  const found = findSubject(execution, effect.taskId);
  if (!found.ok) return startFailed(effect, found.failure);
  const { task, project } = found.value;
  const earlier = execution.launches.read(effect.taskId, effect.window);
  if (!earlier.ok) return startFailed(effect, earlier.failure);
  if (earlier.value?.launchId === effect.launchId) {
    return started(effect, textOf(task.extensions['harness_session']));
  }
  const point = effect.role === 'worker' ? 'spawn' : 'review';
  failpoint(`${point}.begun`);
  const cleared = await clearLeftovers(execution, effect, task);
  if (!cleared.ok) return startFailed(effect, cleared.failure);
  failpoint(`${point}.cleared`);
  const isFirst = isFirstLaunch(execution, effect);
  const build = (): LaunchPlan => buildLaunch(execution, effect, { task, project });
  const [early, prepared] = await Promise.all([
    isFirst ? readyBeside(execution, effect, build) : null,
    prepareWorktree(execution, effect, { task, project, isFirst }),
  ]);
  if (!prepared.ok) return giveBack(execution, effect, { project, failure: prepared.failure });
  failpoint(`${point}.linked`);
  const launch = early ?? build();
  if (!launch.ok) return giveBack(execution, effect, { project, failure: launch.failure });
  failpoint(`${point}.prompt-written`);
  const launched = await execution.sessions.launch(launch.value.launch);
  if (!launched.ok) return giveBack(execution, effect, { project, failure: launched.failure });
  failpoint(`${point}.launched`);
  return started(effect, launch.value.harnessSession);
}

function findSubject(
  execution: Execution,
  taskId: string,
): Result<{ readonly task: TaskState; readonly project: Project }> {
  const task = execution.findTask(taskId);
  if (task === null) return failed({ kind: 'not-found', what: 'task', name: taskId });
  const { project: name } = task.fields;
  const project = execution.findProject(name);
  if (project === null) return failed({ kind: 'not-found', what: 'project', name });
  return success({ task, project });
}

type LaunchPlan = Result<{ readonly launch: Launch; readonly harnessSession: string | null }>;

/**
 * A worktree that is known to be ready takes no longer than the rest: the terminal is opened beside it,
 * and what the agent is told is put together while the worktree is waited for. Null for any other.
 */
async function readyBeside(
  execution: Execution,
  effect: StartAgent,
  build: () => LaunchPlan,
): Promise<LaunchPlan | null> {
  if (!execution.repositories.isProven(execution.workspacePath(effect.workspace))) return null;
  const { taskId, session, window, launchId } = effect;
  execution.sessions.expect({ taskId, session, window, launchId });
  await aTurnLater();
  const plan = build();
  // What is missing now may be there after the set-up.
  return plan.ok ? plan : null;
}

/**
 * Ends what an earlier launch may have left behind: a process that outlived its pane, or one whose
 * records are gone. Two workers on one task are worse than one that is started anew.
 */
async function clearLeftovers(
  execution: Execution,
  effect: StartAgent,
  task: TaskState,
): Promise<Result<void>> {
  if (isFirstLaunch(execution, effect)) return DONE;
  const other = effect.role === 'worker' ? task.reviewer : task.worker;
  const worktree = effect.needsBinding ? undefined : execution.workspacePath(effect.workspace);
  return other.kind === 'live'
    ? execution.sessions.endWindow(effect.taskId, effect)
    : execution.sessions.endSession(effect.taskId, effect.session, worktree);
}

function isFirstLaunch({ launches }: Execution, { taskId, needsBinding }: StartAgent): boolean {
  const earlier = launches.list(taskId);
  return needsBinding && earlier.ok && earlier.value.length === 0;
}

function buildLaunch(
  execution: Execution,
  effect: StartAgent,
  { task, project }: { readonly task: TaskState; readonly project: Project },
): LaunchPlan {
  const { fields, extensions } = task;
  const isWorker = effect.role === 'worker';
  const harness = execution.findHarness(
    fields.project,
    isWorker ? fields.harness : fields.review_harness,
  );
  if (!harness.ok) return harness;
  const about = { harness: harness.value, extensions };
  const conversation = chooseConversation(execution, effect, about);
  const { isResuming } = conversation;
  const prompt = writePrompt(execution, effect, { task, project, isResuming });
  if (!prompt.ok) return prompt;
  const { hookDirectory } = execution;
  const hookEnv = writeHooks(execution.files, harness.value, hookDirectory);
  if (!hookEnv.ok) return hookEnv;
  const taskFile = execution.taskFile(fields.project, fields.id);
  const assignment = {
    ...prompt.value,
    ...conversation,
    hookDirectory,
    role: effect.role,
    taskId: fields.id,
    taskFile,
    branch: fields.branch,
    effort: textOf(extensions[isWorker ? 'effort' : 'review_effort']),
    model: textOf(extensions['model']),
  };
  const argv = harness.value.command(assignment);
  if (!argv.ok) return argv;
  const { taskId, session, window, launchId, workspace } = effect;
  const isFirst = isFirstLaunch(execution, effect);
  const cwd = execution.workspacePath(workspace);
  const env = agentEnvironment({
    daemonEnv: execution.daemonEnv,
    hookEnv: { ...hookEnv.value, ...harness.value.hookFacts?.(assignment) },
    harnessEnv: harness.value.env,
    orange: {
      home: execution.home,
      taskId,
      taskFile,
      project: fields.project,
      branch: fields.branch,
      workspace: cwd,
      slot: slotOf(fields.project, workspace) ?? 0,
      role: effect.role,
      reviewRound: fields.review_round,
      launchId,
      shimDirectory: execution.shimDirectory,
    },
  });
  return success({
    harnessSession: conversation.harnessSession,
    launch: { taskId, session, window, launchId, cwd, argv: argv.value, env, isFirst },
  });
}

function writePrompt(
  execution: Execution,
  effect: StartAgent,
  about: { readonly task: TaskState; readonly project: Project; readonly isResuming: boolean },
): Result<{ readonly prompt: string; readonly promptFile: string }> {
  const { fields, extensions } = about.task;
  const prompt = choosePrompt(effect, about.isResuming, {
    taskId: fields.id,
    project: fields.project,
    branch: fields.branch,
    base: baseOf(extensions) ?? about.project.default_branch,
    taskFile: execution.taskFile(fields.project, fields.id),
    summary: fields.summary,
    reviewRound: fields.review_round,
    status: fields.status,
    news: effect.message === null ? null : messageText(effect.message),
  });
  const directory = execution.launchDirectory(fields.id);
  const promptFile = join(directory, `${effect.window}.prompt`);
  const made = execution.files.makeDirectory(directory, 'until-reboot');
  if (!made.ok) return made;
  const written = execution.files.replace(promptFile, prompt, 'until-reboot');
  return written.ok ? success({ prompt, promptFile }) : written;
}

function choosePrompt(effect: StartAgent, isResuming: boolean, facts: PromptFacts): string {
  if (effect.role === 'reviewer') return reviewerPrompt(facts);
  return isResuming ? resumePrompt(facts) : workerPrompt(facts);
}

async function giveBack(
  execution: Execution,
  effect: StartAgent,
  { project, failure }: { readonly project: Project; readonly failure: Failure },
): Promise<Observation> {
  if (!effect.needsBinding) return startFailed(effect, failure);
  await execution.sessions.endWindow(effect.taskId, effect);
  const worktree = execution.workspacePath(effect.workspace);
  const state = execution.files.stat(worktree);
  if (!state.ok || state.value.kind !== 'directory') {
    // There is none, and none can be made there.
    const isUnfit = failure.kind === 'worktree-unusable';
    return startFailed(effect, failure, isUnfit ? failure : undefined);
  }
  const freed = await execution.repositories.release({
    repository: project.path,
    worktree,
    defaultBranch: project.default_branch,
    taskId: effect.taskId,
    keepIgnored: execution.poolOf(project.name).keepIgnored,
  });
  return startFailed(effect, failure, freed.ok ? undefined : freed.failure);
}

function started(effect: StartAgent, harnessSession: string | null): Observation {
  const { taskId, role, launchId, window, workspace, session, asked } = effect;
  return {
    kind: 'agent-started',
    taskId,
    role,
    launchId,
    window,
    workspace,
    session,
    harnessSession,
    ...(asked === undefined ? {} : { asked }),
  };
}

/** With `untidy`, the worktree that was taken for it cannot be handed out as it is. */
function startFailed(effect: StartAgent, failure: Failure, untidy?: Failure): Observation {
  const { taskId, role, launchId } = effect;
  const reason = describeFailure(failure).message;
  const replaced = effect.asked?.replaced;
  return {
    kind: 'start-failed',
    taskId,
    role,
    launchId,
    failure,
    reason,
    ...(untidy === undefined ? {} : { untidy }),
    ...(replaced === undefined ? {} : { replaced }),
  };
}
