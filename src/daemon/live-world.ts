import type { Diagnostic } from '../domain/diagnostic.js';
import type { ManualLock } from '../domain/lock.js';
import type { BoundRow } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import type { SetAside } from '../domain/set-aside.js';
import type { Settings } from '../domain/settings.js';
import type { TaskState, World } from '../domain/world.js';

/** The world while the daemon runs: read by everyone, changed by the loop alone. */
export class LiveWorld implements World {
  readonly tasks = new Map<string, TaskState>();
  readonly projects = new Map<string, Project>();
  readonly settings = new Map<string, Settings>();
  rejectedSettings: Diagnostic | null = null;
  readonly steps = new Map<string, string>();
  readonly quarantined = new Map<string, SetAside>();
  readonly withheld = new Map<string, BoundRow>();
  readonly locks = new Map<string, ManualLock>();
  readonly installedHarnesses = new Set<string>();
  /** Worktrees that exist on disk, whoever has them. */
  readonly worktrees = new Set<string>();
  /** Worktrees that were made anew by themselves, and that nobody has tried to set up since. */
  readonly bare = new Set<string>();
  /** Problems of files that belong to no task in `tasks`, by the file they are about. */
  readonly problems = new Map<string, readonly Diagnostic[]>();
  /** Tasks whose history ended in a line that was never finished when it was last read. */
  readonly tornHistories = new Set<string>();
  /** Tasks that views have not been told of since they last changed. */
  readonly touched = new Set<string>();
  /** How often a task has changed. */
  changes = 0;

  putTask(task: TaskState): void {
    if (this.tasks.get(task.fields.id) === task) return;
    this.changes += 1;
    this.tasks.set(task.fields.id, task);
    this.touched.add(task.fields.id);
  }

  removeTask(taskId: string): void {
    this.changes += 1;
    this.tasks.delete(taskId);
    this.touched.add(taskId);
  }

  replaceProjects(projects: readonly Project[]): void {
    this.projects.clear();
    for (const project of projects) this.projects.set(project.name, project);
  }
}
