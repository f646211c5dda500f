import type { SalvageOutcome } from '../api/protocol.js';
import type { SalvageRequest } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { readSalvageRef, type RestorePlace, type SalvageEntry } from '../domain/salvage.js';
import { isPrunable } from '../engine/prune-salvage.js';
import type { Clock, Log, Repositories } from '../ports.js';
import type { HistoryLog } from '../record/history-log.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import type { Loop } from './loop.js';

type Parts = {
  readonly world: LiveWorld;
  readonly repositories: Pick<
    Repositories,
    'salvage' | 'checkBranchName' | 'listMerges' | 'forgetMerge'
  >;
  readonly history: Pick<HistoryLog, 'read'>;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  readonly loop: Pick<Loop, 'see'>;
  /** After how many days what is over goes by itself; null is never. */
  keepDays(): number | null;
};

type Place = { readonly name: string; readonly repository: string };

type RequestOf<K extends SalvageRequest['kind']> = Extract<SalvageRequest, { kind: K }>;

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Brings saved work back, drops it, and once a day removes what nobody can need any more. */
export class SalvageKeeper {
  readonly #parts: Parts;
  #prunedAtMs = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async answer(request: SalvageRequest): Promise<Result<SalvageOutcome>> {
    switch (request.kind) {
      case 'salvage.restore':
        return this.#restore(request);
      case 'salvage.drop':
        return this.#drop(request);
      case 'salvage.prune': {
        const days = request.days ?? this.#parts.keepDays() ?? DEFAULT_DAYS;
        return this.#prune(request.project, days);
      }
    }
  }

  /** Prunes if that has not been done today; what goes wrong is tried again tomorrow. */
  async tend(): Promise<void> {
    const { clock, log } = this.#parts;
    const days = this.#parts.keepDays();
    if (days === null || clock.monotonicMs() - this.#prunedAtMs < DAY_MS) return;
    this.#prunedAtMs = clock.monotonicMs();
    const pruned = await this.#prune(null, days);
    if (!pruned.ok) log.write({ event: 'salvage.prune-failed', kind: pruned.failure.kind });
  }

  async #restore(request: RequestOf<'salvage.restore'>): Promise<Result<SalvageOutcome>> {
    const { repositories, world } = this.#parts;
    const project = world.projects.get(request.project);
    if (project === undefined) return missingProject(request.project);
    if (request.branch !== null) {
      const checked = await repositories.checkBranchName(request.branch);
      if (!checked.ok) return checked;
    }
    const { ref } = request;
    const place = this.#placeFor(request);
    const restored = await repositories.salvage.restore({ repository: project.path, ref, place });
    if (!restored.ok) return restored;
    const { path, branch } = restored.value;
    this.#tell(ref, { type: 'salvage.restored', ref, path, branch });
    return success({ restored: restored.value, entries: [] });
  }

  /** Where it was asked for; else in the task's own worktree, or a new one where it has none. */
  #placeFor({ ref, into, branch }: RequestOf<'salvage.restore'>): RestorePlace {
    if (into === null && branch !== null) return { kind: 'branch', branch };
    const { world, paths } = this.#parts;
    const { taskId, number } = readSalvageRef(ref) ?? { taskId: 'unknown', number: 0 };
    const task = world.tasks.get(taskId)?.fields ?? { workspace: null, branch: null };
    if (into === null && task.workspace !== null) {
      return { kind: 'worktree', path: paths.workspace(task.workspace) };
    }
    const path = into ?? paths.restored(`${taskId}-${number}`);
    return { kind: 'new-worktree', path, branch: branch ?? task.branch };
  }

  async #drop({ project: name, ref }: RequestOf<'salvage.drop'>): Promise<Result<SalvageOutcome>> {
    const project = this.#parts.world.projects.get(name);
    if (project === undefined) return missingProject(name);
    const { salvage } = this.#parts.repositories;
    const dropped = await salvage.drop({ repository: project.path, ref });
    if (!dropped.ok) return dropped;
    this.#tell(ref, { type: 'salvage.dropped', ref: dropped.value.ref });
    return success({ restored: null, entries: [dropped.value] });
  }

  async #prune(only: string | null, days: number): Promise<Result<SalvageOutcome>> {
    const { world, repositories, clock } = this.#parts;
    if (only !== null && !world.projects.has(only)) return missingProject(only);
    const beforeMs = clock.nowMs() - days * DAY_MS;
    const before = new Date(beforeMs).toISOString();
    const removed: SalvageEntry[] = [];
    for (const { name, path: repository } of world.projects.values()) {
      if (only !== null && name !== only) continue;
      const listed = await repositories.salvage.list(repository);
      // A repository that is away for now keeps no other from being tidied, unless it was asked for.
      if (!listed.ok && only !== null) return listed;
      if (!listed.ok) continue;
      const isOld = (entry: SalvageEntry): boolean =>
        isPrunable(entry, { before, isMerged: () => this.#isMerged(entry.task_id) });
      for (const entry of listed.value.filter(isOld)) {
        const gone = await this.#remove(entry, { name, repository });
        if (!gone.ok) return gone;
        removed.push(entry);
      }
      const forgotten = await this.#forgetMerges({ name, repository }, before);
      if (!forgotten.ok) return forgotten;
    }
    return success({ restored: null, entries: removed });
  }

  async #remove(entry: SalvageEntry, { name, repository }: Place): Promise<Result<void>> {
    const { repositories, log } = this.#parts;
    const gone = await repositories.salvage.remove({ repository, entry });
    if (!gone.ok) return gone;
    log.write({ event: 'salvage.pruned', ref: entry.ref, commit: entry.commit, project: name });
    return success(undefined);
  }

  /** What a merge left is of use until it is recorded, and for a while to look at. */
  async #forgetMerges({ name, repository }: Place, before: string): Promise<Result<void>> {
    const { world, repositories, log } = this.#parts;
    const listed = await repositories.listMerges(repository);
    if (!listed.ok) return listed;
    for (const taskId of listed.value) {
      // What is not known here may be another home's.
      const fields = world.tasks.get(taskId)?.fields;
      if (fields?.project !== name || fields.updated_at >= before) continue;
      if (!this.#isMerged(taskId)) continue;
      const done = await repositories.forgetMerge({ repository, taskId });
      if (!done.ok) return done;
      if (done.value === 'forgotten') {
        log.write({ event: 'merge.forgotten', task: taskId, project: name });
      }
    }
    return success(undefined);
  }

  #isMerged(taskId: string): boolean {
    const { world, history, paths } = this.#parts;
    const fields = world.tasks.get(taskId)?.fields;
    if (fields?.status !== 'done') return false;
    const read = history.read(paths.historyFile(fields.project, taskId));
    return read.ok && read.value.events.some(({ type }) => type === 'task.merged');
  }

  /** Notes it in the history of the task, if there still is one. */
  #tell(
    ref: string,
    event: { readonly type: string; readonly [fact: string]: string | null },
  ): void {
    const taskId = readSalvageRef(ref)?.taskId ?? '';
    if (!this.#parts.world.tasks.has(taskId)) return;
    this.#parts.loop.see({ kind: 'mended', taskId, event });
  }
}

function missingProject(name: string): ReturnType<typeof failed> {
  return failed({ kind: 'not-found', what: 'project', name });
}
