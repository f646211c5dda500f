import { join } from 'node:path';
import { describeFailure } from '../domain/describe-failure.js';
import { baseOf, textOf } from '../domain/extensions.js';
import type { StartAgent } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import { slotOf } from '../domain/pool.js';
import { success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import { agentEnvironment } from '../harness/agent-environment.js';
import type { Harness } from '../harness/harness.js';
import { messageText } from '../harness/messages.js';
import { resumePrompt, reviewerPrompt, workerPrompt, type PromptFacts } from '../harness/prompts.js';
import type { Launch } from '../ports.js';
import type { Execution } from './execution.js';
import { linkTaskFile } from './link-task-file.js';

/**
 * Takes the worktree, makes the branch, links TASK.md and starts the agent. Whatever fails on the
 * way, a worktree that was taken for this start is given back.
 */
export async function startAgent(execution: Execution, effect: StartAgent): Promise<Observation> {
  const task = execution.findTask(effect.taskId);
  if (task === null) return startFailed(effect, { kind: 'not-found', what: 'task', name: effect.taskId });
  const project = execution.findProject(task.fields.project);
  if (project === null) {
    return startFailed(effect, { kind: 'not-found', what: 'project', name: task.fields.project });
  }
  const earlier = execution.launches.read(effect.taskId, effect.window);
  if (earlier !== null && earlier.launchId === effect.launchId) {
    return started(effect, textOf(task.extensions['harness_session']));
  }
  const prepared = await prepareWorktree(execution, effect, { task, project });
  if (!prepared.ok) return giveBack(execution, effect, { project, failure: prepared.failure });
  const launch = buildLaunch(execution, effect, { task, project });
  if (!launch.ok) return giveBack(execution, effect, { project, failure: launch.failure });
  const launched = await execution.sessions.launch(launch.value.launch);
  if (!launched.ok) return giveBack(execution, effect, { project, failure: launched.failure });
  return started(effect, launch.value.harnessSession);
}

async function prepareWorktree(
  execution: Execution,
  effect: StartAgent,
  { task, project }: { readonly task: TaskState; readonly project: Project },
): Promise<Result<void>> {
  const worktree = execution.workspacePath(effect.workspace);
  const place = {
    repository: project.path,
    worktree,
    defaultBranch: project.default_branch,
  };
  const directory = execution.files.stat(worktree);
  if (effect.needsBinding || !directory.ok || directory.value.kind !== 'directory') {
    const ensured = await execution.repositories.ensureWorktree(place);
    if (!ensured.ok) return ensured;
    const bound = await execution.repositories.bind({
      ...place,
      branch: task.fields.branch,
      base: baseOf(task.extensions),
      taskId: task.fields.id,
    });
    if (!bound.ok) return bound;
  }
  const target = execution.taskFile(task.fields.project, task.fields.id);
  return linkTaskFile(execution.files, join(worktree, 'TASK.md'), target);
}

function buildLaunch(
  execution: Execution,
  effect: StartAgent,
  { task, project }: { readonly task: TaskState; readonly project: Project },
): Result<{ readonly launch: Launch; readonly harnessSession: string | null }> {
  const { fields, extensions } = task;
  const isWorker = effect.role === 'worker';
  const harness = execution.findHarness(
    fields.project,
    isWorker ? fields.harness : fields.review_harness,
  );
  if (!harness.ok) return harness;
  const taskFile = execution.taskFile(fields.project, fields.id);
  const known = isWorker ? textOf(extensions['harness_session']) : null;
  const isResuming = isWorker && effect.isResuming && known !== null && harness.value.canResume;
  const harnessSession = isResuming ? known : newConversation(execution, effect, harness.value);
  const prompt = choosePrompt(effect, isResuming, {
    taskId: fields.id,
    project: fields.project,
    branch: fields.branch,
    base: baseOf(extensions) ?? project.default_branch,
    taskFile,
    summary: fields.summary,
    reviewRound: fields.review_round,
    news: effect.message === null ? null : messageText(effect.message),
  });
  const promptFile = join(execution.launchDirectory(fields.id), `${effect.window}.prompt`);
  const made = execution.files.makeDirectory(execution.launchDirectory(fields.id));
  if (!made.ok) return made;
  const written = execution.files.replace(promptFile, prompt);
  if (!written.ok) return written;
  const argv = harness.value.command({
    role: effect.role,
    taskId: fields.id,
    taskFile,
    branch: fields.branch,
    prompt,
    promptFile,
    effort: textOf(extensions[isWorker ? 'effort' : 'review_effort']),
    model: textOf(extensions['model']),
    harnessSession,
    isResuming,
  });
  if (!argv.ok) return argv;
  return success({
    harnessSession,
    launch: {
      taskId: fields.id,
      session: effect.session,
      window: effect.window,
      launchId: effect.launchId,
      cwd: execution.workspacePath(effect.workspace),
      argv: argv.value,
      env: agentEnvironment({
        daemonEnv: execution.daemonEnv,
        harnessEnv: harness.value.env,
        orange: {
          home: execution.home,
          taskId: fields.id,
          taskFile,
          project: fields.project,
          branch: fields.branch,
          workspace: execution.workspacePath(effect.workspace),
          slot: slotOf(fields.project, effect.workspace) ?? 0,
          role: effect.role,
          reviewRound: fields.review_round,
          launchId: effect.launchId,
          shimDirectory: execution.shimDirectory,
        },
      }),
    },
  });
}

function newConversation(execution: Execution, effect: StartAgent, harness: Harness): string | null {
  return effect.role === 'worker' && harness.takesSessionId ? execution.newConversationId() : null;
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
  if (effect.needsBinding) {
    await execution.sessions.endWindow(effect.taskId, effect);
    const worktree = execution.workspacePath(effect.workspace);
    const state = execution.files.stat(worktree);
    if (state.ok && state.value.kind === 'directory') {
      await execution.repositories.release({
        repository: project.path,
        worktree,
        defaultBranch: project.default_branch,
        taskId: effect.taskId,
      });
    }
  }
  return startFailed(effect, failure);
}

function started(effect: StartAgent, harnessSession: string | null): Observation {
  const { taskId, role, launchId, window, workspace, session } = effect;
  return { kind: 'agent-started', taskId, role, launchId, window, workspace, session, harnessSession };
}

function startFailed(effect: StartAgent, failure: Failure): Observation {
  const { taskId, role, launchId } = effect;
  const reason = describeFailure(failure).message;
  return { kind: 'start-failed', taskId, role, launchId, failure, reason };
}
