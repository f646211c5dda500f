import type { ManualLock } from '../../src/domain/lock.js';
import type { Moment } from '../../src/domain/observation.js';
import type { Project } from '../../src/domain/project.js';
import { DEFAULT_SETTINGS, type Policy, type Settings } from '../../src/domain/settings.js';
import type { TaskState, World } from '../../src/domain/world.js';

/** The moment at which the clocks of a test begin. */
export const START_MS = Date.parse('2026-01-02T12:00:00.000Z');

export function momentAt(elapsedMs = 0): Moment {
  const nowMs = START_MS + elapsedMs;
  return { nowMs, monotonicMs: 1_000_000 + elapsedMs, timestamp: new Date(nowMs).toISOString() };
}

export function buildSettings(
  parts: Partial<Omit<Settings, 'policy'>> & { readonly policy?: Partial<Policy> } = {},
): Settings {
  const { policy, ...rest } = parts;
  return { ...DEFAULT_SETTINGS, ...rest, policy: { ...DEFAULT_SETTINGS.policy, ...policy } };
}

export function buildProject(parts: Partial<Project> = {}): Project {
  return {
    name: 'shop',
    path: '/repositories/shop',
    default_branch: 'main',
    pool_size: 2,
    ...parts,
  };
}

export type WorldParts = {
  readonly tasks?: readonly TaskState[];
  readonly projects?: readonly Project[];
  readonly settings?: Settings;
  readonly installedHarnesses?: readonly string[];
  readonly quarantined?: readonly string[];
  readonly locks?: readonly ManualLock[];
};

export function buildWorld(parts: WorldParts = {}): World {
  const projects = parts.projects ?? [buildProject()];
  return {
    tasks: new Map((parts.tasks ?? []).map((task) => [task.fields.id, task])),
    projects: new Map(projects.map((project) => [project.name, project])),
    settings: new Map([['', parts.settings ?? DEFAULT_SETTINGS]]),
    installedHarnesses: new Set(parts.installedHarnesses ?? ['claude', 'codex']),
    quarantined: new Map(
      (parts.quarantined ?? []).map((name) => [name, { reason: 'it is not clean', failures: 0 }]),
    ),
    locks: new Map((parts.locks ?? []).map((lock) => [lock.id, lock])),
  };
}
