import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  checkAgents,
  checkPool,
  checkTask,
  isWhole,
  killDaemon,
  outboxOf,
} from './daemon-checks.js';
import type { Agent, Rig } from './orange-rig.js';

/** Works in small steps, each of which it can repeat: it may be started again at any moment. */
export const STEPPING_AGENT: Agent = {
  worker: `grep -q '^## Plan' TASK.md || add Plan 'APPROACH: step by step'
    while :; do
      text=$(cat TASK.md)
      round=$(printf '%s\\n' "$text" | sed -n 's/^review_round: //p')
      if printf '%s\\n' "$text" | grep -q '^status: working$' &&
        ! printf '%s\\n' "$text" | grep -q "^DONE: round $round"; then
        [ -e "$ORANGE_TASK_ID-$round.txt" ] || work "$ORANGE_TASK_ID-$round"
        put Handoff "DONE: round $round"
      fi
      sleep 0.05
    done`,
  reviewer: `sleep 0.05; word=PASS; [ "$ORANGE_REVIEW_ROUND" = 1 ] && word=FAIL
    grep -q '^## Review' TASK.md || add Review "Verdict: $word"
    idle`,
};

export const STEPPING = ['--harness', 'stepping', '--review-harness', 'stepping'];

/** Numbers between 0 and 1 that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function taskIds(rig: Rig): readonly string[] {
  const names = readdirSync(join(rig.home, 'tasks', rig.project));
  return names.filter((name) => /^[0-9A-Za-z]{21}$/.test(name));
}

/** One thing a person might do now, as arguments; null: only watch the agents. */
export function chooseAction(
  rig: Rig,
  random: () => number,
  step: number,
): readonly string[] | null {
  const status = (id: string): string => rig.field(id, 'status') ?? '';
  const live = taskIds(rig).filter((id) => !['done', 'cancelled'].includes(status(id)));
  if (live.length < 4) {
    return ['task', 'create', `branch-${step}`, `Task ${step}`, ...STEPPING];
  }
  const id = live[Math.floor(random() * live.length)] ?? '';
  const dice = random();
  if (status(id) === 'reviewing') return ['task', 'merge', id, '--yes'];
  if (status(id) === 'stuck') return ['task', 'update', id, '--status', 'working'];
  if (dice < 0.15) return ['task', 'cancel', id, '--yes'];
  if (status(id) === 'pending') return null;
  if (dice < 0.3) return ['task', 'respawn', id];
  if (dice < 0.4) return ['task', 'update', id, '--branch', `renamed-${step}`];
  if (dice < 0.5) return ['task', 'update', id, '--summary', `At step ${step}`];
  return null;
}

/**
 * Does something, kills the daemon after a moment, then asks for a change and lets things settle.
 * Whatever was going on, every file must be whole and agree with every other.
 */
export async function crashOnce(
  rig: Rig,
  about: { readonly random: () => number; readonly step: number; readonly holder: string },
): Promise<number> {
  const { random, step, holder } = about;
  const action = chooseAction(rig, random, step);
  const doing = action === null ? null : rig.orange(...action);
  await pause(random() * (action === null ? 150 : 450));
  let kills = Number(await killDaemon(rig));
  await doing;
  if (random() < 0.3) {
    const touching = rig.orange('task', 'update', holder, '--summary', `${step} in vain`);
    await pause(random() * 400);
    kills += Number(await killDaemon(rig));
    await touching;
  }
  await rig.must('task', 'update', holder, '--summary', `After step ${step}`);
  await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
  const context = `step ${step}: ${action?.join(' ') ?? 'watch'}`;
  expect(rig.field(holder, 'summary'), context).toBe(`After step ${step}`);
  for (const id of taskIds(rig)) {
    await rig.until(`a whole TASK.md of ${id}`, () => isWhole(rig, id), 3000);
    checkTask(rig, id);
    checkAgents(rig, id);
  }
  return kills;
}

/** Waits until the pool's file has followed everything that is still going on. */
export async function checkSettledPool(rig: Rig): Promise<void> {
  const isQuiet = (): boolean => {
    if (outboxOf(rig).length > 0) return false;
    try {
      checkPool(rig, taskIds(rig));
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') return false;
      throw error;
    }
  };
  await rig.until('a pool that agrees', isQuiet, 15_000).catch(() => undefined);
  checkPool(rig, taskIds(rig));
}
