import { NOTHING, type Decision } from '../../src/domain/decision.js';
import type { Effect } from '../../src/domain/effect.js';
import type { Failure } from '../../src/domain/failure.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { Observation } from '../../src/domain/observation.js';
import type { Actor, CreateTask, TaskRequest } from '../../src/domain/request.js';
import type { Sections } from '../../src/domain/section.js';
import type { AgentExit, Role } from '../../src/domain/session.js';
import type { Extensions, TaskFields } from '../../src/domain/task.js';
import type { TaskState, World } from '../../src/domain/world.js';
import { absorb } from '../../src/engine/absorb.js';
import { decide } from '../../src/engine/decide.js';
import { momentAt } from '../builders/world.js';
import { succeed } from './answer-effect.js';
import { applyDecision, fileRead, put, type Kept, type TaskFile } from './memory-record.js';

const MAX_STEPS = 50;

/** The engine with a record in memory: the daemon's loop without a disk, a clock or an outside. */
export class Simulation {
  kept: Kept;
  /** Effects that are owed, oldest first. */
  owed: readonly Effect[] = [];
  /** The refusals and failures that came out, oldest first. */
  failures: readonly Failure[] = [];
  elapsedMs = 0;
  #ids = 0;

  constructor(world: World) {
    this.kept = { world: { ...world, tasks: new Map() }, files: new Map() };
    for (const task of world.tasks.values()) this.#adopt(task);
  }

  task(taskId: string): TaskState {
    const task = this.kept.world.tasks.get(taskId);
    if (task === undefined) throw new Error(`no task ${taskId}`);
    return task;
  }

  file(taskId: string): TaskFile {
    const file = this.kept.files.get(taskId);
    if (file === undefined) throw new Error(`no file of ${taskId}`);
    return file;
  }

  history(taskId: string): readonly HistoryEvent[] {
    return this.kept.files.get(taskId)?.history ?? [];
  }

  /** One observation and everything that follows from it. */
  see(observation: Observation): Decision {
    this.#lookFirst(observation);
    const { decision, isDone } = this.#step(observation);
    if (isDone) this.#followUp(observation);
    return decision;
  }

  ask(request: TaskRequest, actor: Actor = 'human'): Decision {
    this.#ids += 1;
    return this.see({ kind: 'request', request, actor, newId: `task${this.#ids}` });
  }

  create(parts: Partial<CreateTask> = {}): string {
    const decision = this.ask({
      kind: 'task.create',
      project: 'shop',
      branch: null,
      summary: '',
      harness: null,
      reviewHarness: null,
      context: null,
      status: 'pending',
      extensions: {},
      ...parts,
    });
    if (decision.taskId === null) throw new Error(`refused: ${JSON.stringify(decision.failure)}`);
    return decision.taskId;
  }

  /** Somebody writes sections, fields or extensions into the task's file. */
  write(
    taskId: string,
    parts: {
      readonly sections?: Sections;
      readonly fields?: Partial<TaskFields>;
      readonly extensions?: Extensions;
    },
  ): void {
    const file = this.file(taskId);
    this.kept = put(this.kept, this.task(taskId), {
      ...file,
      fields: { ...file.fields, ...parts.fields },
      extensions: { ...file.extensions, ...parts.extensions },
      sections: { ...file.sections, ...parts.sections },
      isQuiet: false,
      damage: [],
    });
  }

  /** Half of the file is gone, as after a torn write; writing it again mends it. */
  tear(taskId: string): void {
    const torn = { code: 'ORA022', severity: 'error', file: 'TASK.md', line: 1 } as const;
    const damage = [{ ...torn, message: 'no closing line', fix: 'add the line ---' }];
    this.kept = put(this.kept, this.task(taskId), { ...this.file(taskId), damage, isQuiet: false });
  }

  /** Puts a file there as a whole, as somebody does who saves an old copy. */
  overwrite(taskId: string, copy: Pick<TaskFile, 'fields' | 'extensions' | 'sections'>): void {
    this.kept = put(this.kept, this.task(taskId), {
      ...this.file(taskId),
      fields: copy.fields,
      extensions: copy.extensions,
      sections: copy.sections,
      isQuiet: false,
    });
  }

  /** The file is looked at while it is still being written. */
  look(taskId: string): Decision {
    return this.see(fileRead(this.file(taskId), this.file(taskId).isQuiet));
  }

  /** The file has been quiet long enough and is looked at. */
  settle(taskId: string): Decision {
    this.quieten(taskId);
    return this.look(taskId);
  }

  /** Nobody writes to the file any more. */
  quieten(taskId: string): void {
    this.kept = put(this.kept, this.task(taskId), { ...this.file(taskId), isQuiet: true });
  }

  writeAndSettle(taskId: string, sections: Sections): Decision {
    this.write(taskId, { sections });
    return this.settle(taskId);
  }

  /** The agent that lives in this role ends. */
  end(taskId: string, role: Role, exit: Partial<AgentExit> = {}): Decision {
    const agent = role === 'worker' ? this.task(taskId).worker : this.task(taskId).reviewer;
    if (agent.kind !== 'live') return NOTHING;
    const { launchId, window } = agent;
    const seen = { status: 1, signal: null, hasScreen: false, ...exit };
    return this.see({ kind: 'agent-ended', taskId, role, launchId, window, exit: seen });
  }

  /** Time goes by, and the task is looked at again. */
  wait(ms: number, taskId?: string): void {
    this.elapsedMs += ms;
    if (taskId !== undefined) this.see({ kind: 'reconsider', taskId });
    this.see({ kind: 'schedule' });
  }

  /** Takes the oldest owed effect away. */
  takeEffect(): Effect | null {
    const [first, ...rest] = this.owed;
    this.owed = rest;
    return first ?? null;
  }

  /** Carries out everything that is owed, and what that leads to. Gives the effects in order. */
  carryOut(answer: (effect: Effect) => Observation | null = succeed): readonly Effect[] {
    const done: Effect[] = [];
    for (let effect = this.takeEffect(); effect !== null; effect = this.takeEffect()) {
      if (done.length > MAX_STEPS) throw new Error('no end of effects');
      done.push(effect);
      this.elapsedMs += 1;
      const seen = answer(effect);
      if (seen !== null) this.see(seen);
    }
    return done;
  }

  #adopt(task: TaskState): void {
    const { fields, extensions, context } = task;
    const sections: Sections = context === null ? {} : { Context: context };
    const file: TaskFile = {
      fields,
      extensions,
      sections,
      isQuiet: true,
      damage: [],
      history: [],
      transcripts: {},
    };
    this.kept = put(this.kept, task, file);
  }

  #lookFirst(observation: Observation): void {
    if (observation.kind === 'agent-ended') this.#absorbFile(observation.taskId, 'final');
    if (observation.kind === 'request' && 'taskId' in observation.request) {
      this.#absorbFile(observation.request.taskId, 'now');
    }
  }

  #absorbFile(taskId: string, look: 'now' | 'final'): void {
    const file = this.kept.files.get(taskId);
    const task = this.kept.world.tasks.get(taskId);
    if (file === undefined || task === undefined) return;
    const isQuiet = file.isQuiet || look === 'final';
    this.kept = put(this.kept, absorb(task, fileRead(file, isQuiet)), { ...file, isQuiet });
  }

  #step(observation: Observation): { readonly decision: Decision; readonly isDone: boolean } {
    if ('taskId' in observation) {
      const task = this.kept.world.tasks.get(observation.taskId);
      const file = this.kept.files.get(observation.taskId);
      if (task !== undefined && file !== undefined) {
        this.kept = put(this.kept, absorb(task, observation), file);
      }
    }
    const moment = momentAt(this.elapsedMs);
    const decision = decide(this.kept.world, observation, moment);
    if (decision.failure !== null) this.failures = [...this.failures, decision.failure];
    const isNothing = decision.changes.length === 0 && decision.effects.length === 0;
    if (isNothing) {
      return { decision, isDone: decision.failure === null && decision.taskId !== null };
    }
    this.kept = applyDecision(this.kept, decision, moment);
    this.owed = [...this.owed, ...decision.effects];
    return { decision, isDone: true };
  }

  #followUp(observation: Observation): void {
    const taskId = subjectOf(observation);
    const again: readonly Observation[] = [
      ...(taskId === null ? [] : [{ kind: 'reconsider', taskId } as const]),
      { kind: 'schedule' },
    ];
    let steps = 0;
    for (const next of again) {
      while (this.#step(next).isDone) {
        steps += 1;
        if (steps > MAX_STEPS) throw new Error(`no end of decisions for ${taskId ?? '?'}`);
      }
    }
  }
}

function subjectOf(observation: Observation): string | null {
  if ('taskId' in observation) return observation.taskId;
  if (observation.kind !== 'request') return null;
  return 'taskId' in observation.request ? observation.request.taskId : observation.newId;
}
