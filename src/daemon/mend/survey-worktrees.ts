import { basename } from 'node:path';
import { findHolders } from '../../doctor/find-holders.js';
import type { SurveyedWorktree } from '../../doctor/survey.js';
import { slotOf } from '../../domain/pool.js';
import type { Project } from '../../domain/project.js';
import type { TaskState } from '../../domain/world.js';
import type { VanishedWorktree } from '../../domain/worktree-records.js';
import { isLoneLink } from '../../execute/lone-link.js';
import type { Files, Repositories } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import { projectOf } from '../build-view.js';
import type { LiveWorld } from '../live-world.js';
import type { Depth } from './depth.js';

export type WorktreeParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly repositories: Pick<
    Repositories,
    'inspectWorktree' | 'branchCheckedOutAt' | 'findLocks' | 'findVanished'
  >;
};

type Worktree = {
  readonly workspace: string;
  readonly path: string;
  readonly project: Project | null;
  readonly holder: TaskState | undefined;
};

/** Every worktree on disk, and every one that some task or the pool counts on. */
export async function surveyWorktrees(
  parts: WorktreeParts,
  depth: Depth,
): Promise<readonly SurveyedWorktree[]> {
  const { world, files, paths, repositories } = parts;
  const listed = files.list(paths.workspacesDir);
  const onDisk = listed.ok ? listed.value.filter((name) => !name.startsWith('.')) : [];
  const holders = findHolders(world);
  const vanished = await findVanished(parts);
  const counted = new Set([...onDisk, ...world.worktrees, ...world.quarantined.keys()]);
  const names = new Set([...counted, ...holders.keys(), ...vanished.keys()]);
  const surveyed: SurveyedWorktree[] = [];
  for (const workspace of names) {
    const owner = projectOf(world, workspace);
    const worktree: Worktree = {
      workspace,
      path: paths.workspace(workspace),
      project: owner === null ? null : (world.projects.get(owner) ?? null),
      holder: holders.get(workspace),
    };
    const state = await surveyState(parts, worktree, depth);
    const gone = state.kind === 'absent' ? vanished.get(workspace) : undefined;
    surveyed.push({
      workspace,
      path: worktree.path,
      project: owner,
      state,
      isListed: counted.has(workspace),
      ...(state.kind === 'absent' ? await trace(parts, worktree, { depth, gone }) : IN_PLACE),
      locks: owner === null ? [] : repositories.findLocks(worktree.path),
    });
  }
  return surveyed;
}

/** Worktrees that git has on record in the pools of the registered projects, and that are gone. */
async function findVanished({
  world,
  paths,
  repositories,
}: WorktreeParts): Promise<ReadonlyMap<string, VanishedWorktree>> {
  const vanished = new Map<string, VanishedWorktree>();
  for (const { name, path } of world.projects.values()) {
    const found = await repositories.findVanished(path, paths.workspacesDir);
    for (const each of found.ok ? found.value : []) {
      const workspace = basename(each.path);
      if (slotOf(name, workspace) !== null) vanished.set(workspace, each);
    }
  }
  return vanished;
}

async function surveyState(
  { files, paths, repositories }: WorktreeParts,
  { path, project, holder }: Worktree,
  depth: Depth,
): Promise<SurveyedWorktree['state']> {
  const place = files.stat(path);
  if (!place.ok) return { kind: 'unseen' };
  if (place.value.kind === 'absent') return { kind: 'absent' };
  if (place.value.kind !== 'directory') {
    return { kind: 'unusable', reason: 'it is no directory', isRecoverable: false };
  }
  if (holder !== undefined) {
    const target = paths.taskFile(holder.fields.project, holder.fields.id);
    if (isLoneLink(files, path, target)) return { kind: 'absent' };
  }
  if (depth === 'quick' || project === null) return { kind: 'unseen' };
  const inspected = await repositories.inspectWorktree({
    repository: project.path,
    worktree: path,
    depth: holder === undefined ? 'content' : 'branch',
  });
  if (inspected.ok) {
    return inspected.value === null ? { kind: 'absent' } : { kind: 'worktree', ...inspected.value };
  }
  // Only what git says about the worktree itself counts against it.
  const { failure } = inspected;
  return failure.kind === 'worktree-unusable'
    ? { kind: 'unusable', reason: failure.reason, isRecoverable: failure.isRecoverable === true }
    : { kind: 'unseen' };
}

const IN_PLACE = { movedTo: null, isLocked: false } as const;

/** Where a worktree is that is not in its place, as far as it can be told. */
async function trace(
  parts: WorktreeParts,
  worktree: Worktree,
  { depth, gone }: { readonly depth: Depth; readonly gone: VanishedWorktree | undefined },
): Promise<Pick<SurveyedWorktree, 'movedTo' | 'isLocked'>> {
  const { movedTo, isLocked } = gone ?? IN_PLACE;
  return { movedTo: movedTo ?? (await findElsewhere(parts, worktree, depth)), isLocked };
}

/** Where git has the branch of a worktree that is gone: somebody may have moved it. */
async function findElsewhere(
  { repositories }: WorktreeParts,
  { path, project, holder }: Worktree,
  depth: Depth,
): Promise<string | null> {
  if (depth === 'quick' || project === null || holder === undefined) return null;
  const where = await repositories.branchCheckedOutAt(project.path, holder.fields.branch);
  return where.ok && where.value !== path ? where.value : null;
}
