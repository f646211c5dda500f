import { cleanText } from '../domain/clean-text.js';
import type { Effect } from '../domain/effect.js';
import { baseOf } from '../domain/extensions.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import type { Observation, PullRequestSeen } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import type { PullRequest } from '../domain/pull-request.js';
import { failed, success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import type { Execution } from './execution.js';

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

/** Brings the branch to GitHub, with a pull request of it. */
export async function openPullRequest(
  execution: Execution,
  effect: EffectOf<'open-pull-request'>,
): Promise<Observation> {
  const found = findPlace(execution, effect.taskId);
  if (!found.ok) return unseen(effect, found.failure);
  failpoint('pull-request.begun');
  const { task, project } = found.value;
  const base = effect.base ?? baseOf(task.extensions) ?? project.default_branch;
  const words = await describeWork(execution, task, { repository: project.path, base });
  if (!words.ok) return unseen(effect, words.failure);
  const opened = await execution.pullRequests.publish({
    repository: project.path,
    branch: task.fields.branch,
    base,
    title: titleLine(effect.title ?? words.value.title),
    body: cleanText(effect.body ?? words.value.body).slice(0, MAX_BODY),
    isDraft: effect.isDraft,
  });
  if (!opened.ok) return unseen(effect, opened.failure);
  failpoint('pull-request.opened');
  return lookCloser(execution, { ...found.value, ...effect, purpose: 'opened' }, opened.value);
}

/** Asks GitHub how the pull request is. */
export async function viewPullRequest(
  execution: Execution,
  effect: EffectOf<'view-pull-request'>,
): Promise<Observation> {
  const found = findPlace(execution, effect.taskId);
  if (!found.ok) return unseen(effect, found.failure);
  const url = found.value.task.fields.pr_url;
  if (url === null) return unseen(effect, { kind: 'pr-missing' });
  const seen = await execution.pullRequests.view(url);
  if (!seen.ok) return unseen(effect, seen.failure);
  return lookCloser(execution, { ...found.value, ...effect }, seen.value);
}

type Place = { readonly task: TaskState; readonly project: Project };

function findPlace(execution: Execution, taskId: string): Result<Place> {
  const task = execution.findTask(taskId);
  if (task === null) return failed({ kind: 'not-found', what: 'task', name: taskId });
  const { project: name } = task.fields;
  const project = execution.findProject(name);
  if (project === null) return failed({ kind: 'not-found', what: 'project', name });
  return success({ task, project });
}

/** Once it is over on GitHub, it matters what is left here. */
export async function lookCloser(
  execution: Pick<Execution, 'pullRequests' | 'repositories' | 'workspacePath'>,
  asked: Place & Pick<PullRequestSeen, 'askedBy' | 'purpose'>,
  pullRequest: PullRequest,
): Promise<Observation> {
  const { task, project, askedBy, purpose } = asked;
  const { id: taskId, workspace, branch } = task.fields;
  const seen = { kind: 'pull-request-seen', taskId, askedBy, purpose, pullRequest } as const;
  if (pullRequest.state === 'open' || pullRequest.state === 'draft') {
    return { ...seen, hasNewerWork: false };
  }
  const newer = await execution.pullRequests.hasCommitsBeyond({
    repository: project.path,
    branch,
    commit: pullRequest.head,
  });
  if (!newer.ok || newer.value) return { ...seen, hasNewerWork: true };
  if (workspace === null) return { ...seen, hasNewerWork: false };
  const worktree = execution.workspacePath(workspace);
  const unsaved = await execution.repositories.hasUncommittedWork(worktree);
  return { ...seen, hasNewerWork: !unsaved.ok || unsaved.value };
}

function unseen(
  { taskId, askedBy }: EffectOf<'open-pull-request' | 'view-pull-request'>,
  failure: Failure,
): Observation {
  return { kind: 'pull-request-failed', taskId, askedBy, failure };
}

const MAX_BODY = 60_000;
const MAX_TITLE = 256;

function titleLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
}

/** The summary as title; as body the repository's template or the Context, then what was handed over. */
async function describeWork(
  execution: Execution,
  task: TaskState,
  { repository, base }: { readonly repository: string; readonly base: string },
): Promise<Result<{ readonly title: string; readonly body: string }>> {
  const { summary, branch, project, id } = task.fields;
  const template = await execution.pullRequests.readTemplate(repository, base);
  if (!template.ok) return template;
  const { Context: context, Handoff: handoff } = execution.sectionsOf(project, id);
  const opening =
    template.value === null ? [summary, titled('Context', context)] : [template.value];
  const body = [...opening, titled('Handoff', handoff)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
  return success({ title: summary.trim() === '' ? branch : summary, body: `${body}\n` });
}

function titled(heading: string, text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `## ${heading}\n\n${text.trim()}`;
}
