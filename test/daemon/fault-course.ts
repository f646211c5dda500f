import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { loadTasks, reloadUnread } from '../../src/daemon/load-world.js';
import { Loop } from '../../src/daemon/loop.js';
import { replayOutbox } from '../../src/daemon/replay-outbox.js';
import { isTemporaryName } from '../../src/adapters/disk-steps.js';
import type { Effect } from '../../src/domain/effect.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { TaskRequest } from '../../src/domain/request.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { isStatus, type Status } from '../../src/domain/status.js';
import { isLegalMove } from '../../src/engine/moves.js';
import { parseHistory } from '../../src/record/history-log.js';
import { TASK_ID } from '../builders/task.js';
import { succeed } from '../fakes/answer-effect.js';
import { fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

/** A daemon without its outside: a real disk, a loop, and agents that always do as they are told. */
export function openCourse() {
  const home = openDaemonHome();
  home.world.installedHarnesses.add('claude');
  const executed: Effect[] = [];
  const loop = new Loop({
    ...home,
    execute: async (effect) => {
      executed.push(effect);
      return succeed(effect);
    },
    look: (taskId, look) => {
      const task = home.world.tasks.get(taskId);
      return task === undefined ? null : home.observer.observe(task, look, 0);
    },
    stuckBecause: () => null,
    newId: () => TASK_ID,
    onSettled: () => undefined,
    onProgress: () => undefined,
    onAnswered: () => undefined,
    stops: { heed: () => undefined, forget: () => undefined },
  });
  home.lateEdits.attach(home.store, (seen) => loop.take(seen));
  /** What the daemon does each second. */
  const tick = async (): Promise<void> => {
    home.clock.advance(1000);
    loop.retryLate();
    home.lateEdits.look();
    reloadUnread({ ...home, launches: fakeLaunches() });
    const task = home.world.tasks.get(TASK_ID);
    const seen = task === undefined ? null : home.observer.observe(task, 'changed', 0);
    if (seen !== null) loop.see(seen);
    loop.see({ kind: 'schedule' });
    await loop.drained();
  };
  return { home, loop, tick, executed };
}

export type Course = ReturnType<typeof openCourse>;

const CREATE: TaskRequest = {
  kind: 'task.create',
  project: 'shop',
  branch: 'dark-mode',
  summary: 'Add a dark theme',
  harness: 'claude',
  reviewHarness: 'claude',
  context: 'Why.',
  status: 'pending',
  extensions: {},
};

const ASK: TaskRequest = { kind: 'task.ask', taskId: TASK_ID, text: 'Which colour?' };
const ANSWER: TaskRequest = {
  kind: 'task.answer',
  taskId: TASK_ID,
  question: null,
  text: 'Black.',
};
const RENAME: TaskRequest = { kind: 'task.update', taskId: TASK_ID, summary: 'Add a night theme' };
const CANCEL: TaskRequest = { kind: 'task.cancel', taskId: TASK_ID, reason: 'enough' };

/** One step of a task's course: somebody asks for something, or an agent writes a section. */
type Step =
  | { readonly ask: TaskRequest; readonly event: string; readonly until: string }
  | { readonly write: string; readonly until: string };

export const STEPS: readonly Step[] = [
  { ask: CREATE, event: 'task.created', until: 'planning' },
  { write: '\n## Plan\n\nAPPROACH: Try.\n', until: 'working' },
  { ask: ASK, event: 'question.asked', until: 'clarification' },
  { ask: ANSWER, event: 'question.answered', until: 'working' },
  { ask: RENAME, event: 'task.updated', until: 'working' },
  { write: '\n## Handoff\n\nDONE: It works.\n', until: 'agent-review' },
  { write: '\n## Review\n\nVerdict: PASS\n', until: 'reviewing' },
  { ask: CANCEL, event: 'status.changed', until: 'cancelled' },
];

const MAX_TICKS = 60;

/**
 * Goes a step, as a person or an agent does who tries again when it is told that it did not work.
 * Gives what they were told.
 */
export async function goStep(course: Course, step: Step): Promise<readonly string[]> {
  const { home, loop, tick } = course;
  const told: string[] = [];
  const isThere = (): boolean => home.world.tasks.get(TASK_ID)?.fields.status === step.until;
  if ('write' in step) appendFileSync(home.paths.taskFile('shop', TASK_ID), step.write);
  let isAnswered = 'write' in step;
  for (let ticks = 0; ticks < MAX_TICKS && !(isAnswered && isThere()); ticks += 1) {
    if ('ask' in step && !isAnswered) {
      const answer = await loop.ask(step.ask, 'human');
      isAnswered = answer.ok;
      if (!answer.ok) told.push(answer.failure.kind);
      // What was refused may have been done all the same, when only its history is late.
      isAnswered ||= isThere() && step.ask !== RENAME && step.ask !== CREATE;
    }
    await tick();
  }
  expect(home.world.tasks.get(TASK_ID)?.fields.status, describe(home)).toBe(step.until);
  return told;
}

/** What must hold after every fault, once it is over. */
export function checkRecord({ home }: Course): void {
  const { paths } = home;
  const world = home.world.tasks.get(TASK_ID);
  expect(home.fieldsOnDisk(TASK_ID), describe(home)).toEqual(world?.fields);
  const text = readFileSync(paths.historyFile('shop', TASK_ID), 'utf8');
  const { events, damage, tornTail } = parseHistory(text);
  expect({ damage, tornTail }, text).toEqual({ damage: [], tornTail: null });
  const lines = text.split('\n').filter(Boolean);
  expect(new Set(lines).size, `doubled lines:\n${text}`).toBe(lines.length);
  expect(lastStatusOf(events, text)).toBe(world?.fields.status);
  for (const step of STEPS) {
    // Other moves have the event of the last step too.
    if (!('ask' in step) || step.ask === CANCEL) continue;
    const found = events.filter(({ type }) => type === step.event);
    expect(found, `${step.event} is there once:\n${text}`).toHaveLength(1);
  }
  expect(home.entries(), describe(home)).toEqual([]);
  const litter = [paths.taskDir('shop', TASK_ID), paths.outboxDir, paths.replacedDir]
    .filter((dir) => existsSync(dir))
    .flatMap((dir) => readdirSync(dir).filter(isTemporaryName));
  expect(litter).toEqual([]);
}

/** Where a history ends, move by legal move. */
function lastStatusOf(events: readonly HistoryEvent[], text: string): Status {
  let status: Status = 'pending';
  for (const { type, from, to } of events) {
    if (type !== 'status.changed' && type !== 'auto.advanced') continue;
    const next: Status | null = typeof to === 'string' && isStatus(to) ? to : null;
    expect(next !== null && from === status && isLegalMove(status, next), text).toBe(true);
    status = next ?? status;
  }
  return status;
}

/** A daemon that starts now finds what this one knows, and owes nothing. */
export function checkRestart({ home }: Course): void {
  const world = startAgain(home);
  const before = home.world.tasks.get(TASK_ID);
  const after = world.tasks.get(TASK_ID);
  expect(after?.fields).toEqual(before?.fields);
  expect(after?.handoffStamp).toEqual(before?.handoffStamp);
}

function startAgain(home: DaemonHome): LiveWorld {
  const replayed = replayOutbox(home);
  expect(replayed).toMatchObject({ ok: true, value: { owed: [], damaged: [] } });
  const world = new LiveWorld();
  world.settings.set('', DEFAULT_SETTINGS);
  expect(loadTasks({ ...home, world, launches: fakeLaunches() })).toMatchObject({ ok: true });
  return world;
}

function describe(home: DaemonHome): string {
  const path = home.paths.historyFile('shop', TASK_ID);
  return [
    ...home.log.records.slice(-12).map((record) => JSON.stringify(record)),
    existsSync(path) ? readFileSync(path, 'utf8') : 'no history',
  ].join('\n');
}
