import type { Effect } from '../../src/domain/effect.js';
import type { Observation } from '../../src/domain/observation.js';
import type { TaskRequest } from '../../src/domain/request.js';
import { fail, succeed } from '../fakes/answer-effect.js';
import { fileRead, type TaskFile } from '../fakes/memory-record.js';
import type { Simulation } from '../fakes/simulation.js';
import type { Step } from './random-steps.js';

/** A run and what it has seen, so that old news can be told again. */
export type Run = {
  readonly sim: Simulation;
  readonly results: Observation[];
  readonly copies: Map<string, TaskFile>;
  /** Called with an observation that has just been seen and must not matter a second time. */
  readonly onSeen: (observation: Observation) => void;
};

/** Lets one thing happen. A step for which there is no occasion does nothing. */
export function takeStep(run: Run, step: Step): void {
  const { sim } = run;
  sim.elapsedMs += 1;
  switch (step.kind) {
    case 'create':
      return createTask(run, step);
    case 'wait':
      sim.elapsedMs += step.ms;
      return see(run, { kind: 'schedule' });
    case 'answer':
      return answerOne(run, step);
    case 'repeat-result': {
      const seen = run.results[step.nth % Math.max(1, run.results.length)];
      if (seen !== undefined) sim.see(seen);
      return undefined;
    }
    case 'ask':
    case 'move':
    case 'rename':
    case 'write':
    case 'edit':
    case 'edit-extension':
    case 'save-old-copy':
    case 'look':
    case 'settle':
    case 'tear':
    case 'end':
    case 'reconsider': {
      const taskId = pickTask(sim, step.nth);
      return taskId === null ? undefined : touchTask(run, taskId, step);
    }
  }
}

type TaskStep = Exclude<Step, { kind: 'create' | 'wait' | 'answer' | 'repeat-result' }>;

function touchTask(run: Run, taskId: string, step: TaskStep): void {
  const { sim } = run;
  switch (step.kind) {
    case 'ask':
      sim.ask(requestOf(taskId, step), step.actor);
      return undefined;
    case 'move':
      sim.ask({ kind: 'task.update', taskId, status: step.to }, step.actor);
      return undefined;
    case 'rename':
      sim.ask({ kind: 'task.update', taskId, branch: step.branch });
      return undefined;
    case 'write':
      return sim.write(taskId, { sections: step.sections });
    case 'edit':
      run.copies.set(taskId, sim.file(taskId));
      return sim.write(taskId, { fields: step.fields });
    case 'edit-extension':
      return sim.write(taskId, { extensions: step.extensions });
    case 'save-old-copy': {
      const copy = run.copies.get(taskId);
      return copy === undefined ? undefined : sim.overwrite(taskId, copy);
    }
    case 'look':
      return look(run, taskId);
    case 'settle':
      sim.quieten(taskId);
      return look(run, taskId);
    case 'tear':
      return sim.tear(taskId);
    case 'end':
      return endAgent(run, taskId, step.role);
    case 'reconsider':
      return see(run, { kind: 'reconsider', taskId });
  }
}

function createTask({ sim }: Run, step: Extract<Step, { kind: 'create' }>): void {
  const blocker = step.isBlocked ? pickTask(sim, step.nth) : null;
  const extensions =
    blocker === null ? step.extensions : { ...step.extensions, blocked_by: [blocker] };
  sim.create({ status: step.status, extensions });
}

function answerOne(run: Run, step: Extract<Step, { kind: 'answer' }>): void {
  const { sim } = run;
  const waiting = [...new Set(sim.owed.map(({ taskId }) => taskId))];
  const taskId = waiting[step.nth % Math.max(1, waiting.length)];
  const effect = sim.owed.find((each) => each.taskId === taskId);
  if (effect === undefined) return;
  sim.owed = sim.owed.filter((each) => each !== effect);
  const seen = step.works ? succeed(effect) : failAs(effect);
  if (seen === null) return;
  run.results.push(seen);
  see(run, seen);
}

function failAs(effect: Effect): Observation | null {
  if (effect.kind !== 'tell-agent') return fail(effect);
  return fail(effect, { kind: 'agent-not-running', taskId: effect.taskId, window: effect.window });
}

function endAgent(run: Run, taskId: string, role: 'worker' | 'reviewer'): void {
  const task = run.sim.task(taskId);
  const agent = role === 'worker' ? task.worker : task.reviewer;
  if (agent.kind !== 'live') return;
  const { launchId, window } = agent;
  const exit = { status: 1, signal: null, hasScreen: true };
  see(run, { kind: 'agent-ended', taskId, role, launchId, window, exit });
}

/** Looking a second time means reading the file as it then is. */
function look(run: Run, taskId: string): void {
  const { sim } = run;
  sim.look(taskId);
  const file = sim.kept.files.get(taskId);
  if (file !== undefined) run.onSeen(fileRead(file, file.isQuiet));
}

function see(run: Run, observation: Observation): void {
  run.sim.see(observation);
  run.onSeen(observation);
}

function pickTask(sim: Simulation, nth: number): string | null {
  const ids = [...sim.kept.world.tasks.keys()];
  return ids[nth % Math.max(1, ids.length)] ?? null;
}

function requestOf(taskId: string, step: Extract<Step, { kind: 'ask' }>): TaskRequest {
  switch (step.what) {
    case 'task.spawn':
      return { kind: step.what, taskId, force: step.force };
    case 'task.send':
      return { kind: step.what, taskId, text: 'hello' };
    case 'task.review':
      return { kind: step.what, taskId, verdict: step.verdict, text: '' };
    case 'task.cancel':
      return { kind: step.what, taskId, reason: null };
    case 'task.reopen':
      return { kind: step.what, taskId, summary: null };
    case 'task.merge':
      return { kind: step.what, taskId, strategy: null, push: null, message: null };
    case 'task.respawn':
    case 'task.delete':
      return { kind: step.what, taskId };
  }
}
