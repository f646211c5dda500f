import { DEFAULT_SETTINGS, type Settings } from '../domain/settings.js';
import { slotOf, workspaceName } from '../domain/pool.js';
import type { AgentState, World } from '../domain/world.js';

export function settingsFor(world: World, project: string): Settings {
  return world.settings.get(project) ?? world.settings.get('') ?? DEFAULT_SETTINGS;
}

/** Worktrees that belong to a task, be it one that cannot be read, or are promised to one that is starting. */
export function takenWorkspaces(world: World, project: string): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const workspace of world.withheld?.keys() ?? []) {
    if (slotOf(project, workspace) !== null) taken.add(workspace);
  }
  for (const task of world.tasks.values()) {
    if (task.fields.project !== project) continue;
    if (task.fields.workspace !== null) taken.add(task.fields.workspace);
    if (task.reservedWorkspace !== null) taken.add(task.reservedWorkspace);
  }
  return taken;
}

/** The free worktree with the lowest number, or null when the project's pool is used up. */
export function freeWorkspace(world: World, project: string): string | null {
  const size = world.projects.get(project)?.pool_size ?? 0;
  const taken = takenWorkspaces(world, project);
  if (taken.size >= size) return null;
  for (let slot = 1; slot <= size + world.quarantined.size; slot += 1) {
    const name = workspaceName(project, slot);
    if (!taken.has(name) && !world.quarantined.has(name)) return name;
  }
  return null;
}

/** Answers `freeWorkspace` for a world that stays as it is meanwhile, going over its tasks once per project. */
export type FreeWorkspaces = (project: string) => string | null;

export function findFreeWorkspaces(world: World): FreeWorkspaces {
  const known = new Map<string, string | null>();
  return (project) => {
    const found = known.get(project);
    if (found !== undefined) return found;
    const free = freeWorkspace(world, project);
    known.set(project, free);
    return free;
  };
}

/** Session names that other tasks have. */
export function takenSessions(world: World, exceptTaskId: string): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const task of world.tasks.values()) {
    if (task.fields.id !== exceptTaskId && task.fields.tmux_session !== null) {
      taken.add(task.fields.tmux_session);
    }
  }
  return taken;
}

export function isRunning(agent: AgentState): boolean {
  return agent.kind === 'live' || agent.kind === 'starting';
}
