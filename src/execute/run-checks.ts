import { dirname } from 'node:path';
import type { CheckRun, CheckStage } from '../domain/check-run.js';
import { baseOf } from '../domain/extensions.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { Settings } from '../domain/settings.js';
import type { TaskState } from '../domain/world.js';
import { commandEnvironment } from '../harness/agent-environment.js';
import type { ProjectCommandOutcome } from '../ports.js';
import type { Execution } from './execution.js';

/** What checks need of everything an effect may use. */
export type CheckParts = Pick<
  Execution,
  | 'home'
  | 'daemonEnv'
  | 'files'
  | 'commands'
  | 'settingsFor'
  | 'findProject'
  | 'testResultFile'
  | 'tellStep'
>;

export type CheckOrder = {
  readonly task: TaskState;
  readonly stage: CheckStage;
  readonly directory: string;
  /** Whether the rest is run after a command that failed. */
  readonly extent: 'all' | 'until-failure';
  /** Ends the command that runs; no other is begun. */
  readonly signal: AbortSignal;
};

export type Checked = {
  readonly runs: readonly CheckRun[];
  /** The file with everything they said. */
  readonly log: string;
};

/** The commands that have to pass before work is merged. */
export function mergeChecks({ policy }: Settings): readonly string[] {
  return policy.checks.merge ?? policy.checks.handoff;
}

/**
 * Runs the checks of a project in a directory, one after the other. A checkout that is new, as every
 * trial's is, is set up first as the worktrees of the pool are.
 */
export async function runChecks(
  execution: CheckParts,
  order: CheckOrder,
): Promise<Result<Checked>> {
  const { task, stage } = order;
  const { project, id } = task.fields;
  const settings = execution.settingsFor(project);
  const log = execution.testResultFile(project, id, `${stage}.log`);
  const fresh = beginLog(execution, log);
  if (!fresh.ok) return fresh;
  const commands =
    stage === 'handoff'
      ? settings.policy.checks.handoff.map(asCheck)
      : [
          ...settings.pool.setup.map((line) => ({ line, step: `setting up (${line})` })),
          ...mergeChecks(settings).map(asCheck),
        ];
  const runs: CheckRun[] = [];
  for (const { line, step } of commands) {
    if (order.signal.aborted) {
      runs.push(judge(line, NOT_RUN, order.signal));
      break;
    }
    execution.tellStep(id, step);
    const ran = await execution.commands.run({
      line,
      directory: order.directory,
      env: commandEnvironment(execution.daemonEnv, factsOf(execution, task, stage)),
      timeoutMs: settings.policy.checks.timeoutMinutes * 60_000,
      logFile: log,
      signal: order.signal,
    });
    execution.tellStep(id, null);
    if (!ran.ok) return ran;
    runs.push(judge(line, ran.value, order.signal));
    if (order.extent === 'until-failure' && ran.value.exitCode !== 0) break;
  }
  return success({ runs, log });
}

function asCheck(line: string) {
  return { line, step: `checking (${line})` };
}

/** The first command that did not pass. */
export function findFailed(runs: readonly CheckRun[]): CheckRun | null {
  return runs.find(({ result }) => result !== 'passed') ?? null;
}

/** The command that was stopped, if one was. */
export function findStopped(runs: readonly CheckRun[]): CheckRun | null {
  return runs.find(({ result }) => result === 'stopped') ?? null;
}

function beginLog({ files }: CheckParts, log: string): Result<void> {
  const made = files.makeDirectory(dirname(log));
  if (!made.ok) return made;
  const state = files.stat(log);
  return state.ok && state.value.kind !== 'absent' ? files.remove(log) : DONE;
}

const NOT_RUN: ProjectCommandOutcome = { exitCode: null, durationMs: 0, tail: '' };

function judge(command: string, outcome: ProjectCommandOutcome, signal: AbortSignal): CheckRun {
  const { exitCode, durationMs, tail } = outcome;
  const ended = exitCode === 0 ? 'passed' : 'failed';
  const cutOff = signal.aborted ? 'stopped' : 'timed-out';
  const result = exitCode === null ? cutOff : ended;
  return { command, result, exitStatus: exitCode, durationMs, tail };
}

function factsOf(
  execution: CheckParts,
  task: TaskState,
  stage: CheckStage,
): Readonly<Record<string, string>> {
  const { id, project, branch } = task.fields;
  const base = baseOf(task.extensions) ?? execution.findProject(project)?.default_branch ?? '';
  return {
    ORANGE_HOME: execution.home,
    ORANGE_TASK_ID: id,
    ORANGE_PROJECT: project,
    ORANGE_BRANCH: branch,
    ORANGE_BASE: base,
    ORANGE_CHECK: stage,
  };
}
