import { dirname } from 'node:path';
import type { CheckRun } from '../domain/check-run.js';
import type { Effect } from '../domain/effect.js';
import { failpoint } from '../domain/failpoint.js';
import { baseOf } from '../domain/extensions.js';
import { actionFor, assessRisk, type Finalization } from '../domain/finalization.js';
import type { Examination, Trial } from '../domain/merge-request.js';
import type { Observation } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import { DONE, failed, success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import type { Repositories } from '../ports.js';
import type { Execution } from './execution.js';
import { formatReport } from './finalization-report.js';
import { findFailed, findStopped, mergeChecks, runChecks, type CheckParts } from './run-checks.js';

type Finalize = Extract<Effect, { kind: 'finalize' }>;

type Parts = CheckParts &
  Pick<Execution, 'findTask' | 'whileWanted' | 'artifactFile' | 'workspacePath' | 'trialPlace'> & {
    readonly repositories: Pick<Repositories, 'examine'>;
  };

/** Tries the merge without merging, and writes down what it found. */
export async function finalize(execution: Parts, { taskId }: Finalize): Promise<Observation> {
  const task = execution.findTask(taskId);
  const project = task === null ? null : execution.findProject(task.fields.project);
  if (task === null || project === null) {
    const failure = { kind: 'not-found', what: 'task', name: taskId } as const;
    return { kind: 'finalize-failed', taskId, failure };
  }
  failpoint('finalize.begun');
  const found = await execution.whileWanted(taskId, async (signal) =>
    examine(execution, task, project, signal),
  );
  if (!found.ok) return { kind: 'finalize-failed', taskId, failure: found.failure };
  failpoint('finalize.examined');
  const { examination, checks } = found.value;
  const finalization = judge(examination, checks);
  const base = baseOf(task.extensions) ?? project.default_branch;
  const text = formatReport({ task, base, examination, checks, finalization });
  const file = execution.artifactFile(project.name, taskId, 'finalization-report.md');
  const made = execution.files.makeDirectory(dirname(file));
  const written = made.ok ? execution.files.replace(file, text) : made;
  if (!written.ok) return { kind: 'finalize-failed', taskId, failure: written.failure };
  failpoint('finalize.reported');
  return { kind: 'finalized', taskId, finalization, checks };
}

type Found = { readonly examination: Examination; readonly checks: readonly CheckRun[] };

async function examine(
  execution: Parts,
  task: TaskState,
  project: Project,
  signal: AbortSignal,
): Promise<Result<Found>> {
  const { id, workspace, branch } = task.fields;
  const settings = execution.settingsFor(project.name);
  let checks: readonly CheckRun[] = [];
  const run = async (directory: string): Promise<Result<void>> => {
    const order = { task, stage: 'finalize', directory, extent: 'all', signal } as const;
    const checked = await runChecks(execution, order);
    if (!checked.ok) return checked;
    checks = checked.value.runs;
    const check = findStopped(checks);
    const { log } = checked.value;
    return check === null ? DONE : failed({ kind: 'checks-failed', stage: 'finalize', check, log });
  };
  const { copy } = settings.pool;
  const trial: Trial = { ...execution.trialPlace(id), copy, run };
  const examined = await execution.repositories.examine({
    repository: project.path,
    worktree: workspace === null ? null : execution.workspacePath(workspace),
    branch,
    base: baseOf(task.extensions) ?? project.default_branch,
    strategy: settings.merge.strategy,
    taskId: id,
    message: branch,
    push: false,
    heads: 'any',
    trial: mergeChecks(settings).length === 0 ? null : trial,
  });
  return examined.ok ? success({ examination: examined.value, checks }) : examined;
}

function judge(examination: Examination, checks: readonly CheckRun[]): Finalization {
  const { files, lines, behind, head } = examination;
  const conflicts = examination.conflicts.length;
  const { overall: risk } = assessRisk({ files, lines, conflicts });
  const isPassed = findFailed(checks) === null;
  const ready = conflicts === 0 && isPassed;
  const obstacle = conflicts === 0 ? 'fix-checks' : 'resolve-conflicts';
  const action = ready ? actionFor(risk) : obstacle;
  const conflicting = examination.conflicts.slice(0, MAX_NAMED).map(({ file }) => file);
  return { ready, risk, action, files, lines, conflicts, conflicting, behind, head };
}

// The report has all of them; this goes into the history.
const MAX_NAMED = 50;
