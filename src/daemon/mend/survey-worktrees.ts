import { findHolders } from '../../doctor/find-holders.js';
import type { SurveyedWorktree } from '../../doctor/survey.js';
import type { Project } from '../../domain/project.js';
import type { TaskState } from '../../domain/world.js';
import type { Files, Repositories } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import { projectOf } from '../build-view.js';
import type { LiveWorld } from '../live-world.js';
import type { Depth } from './depth.js';

export type WorktreeParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly repositories: Pick<Repositories, 'inspectWorktree' | 'branchCheckedOutAt' | 'findLocks'>;
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
  const names = new Set([...onDisk, ...world.worktrees, ...holders.keys()]);
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
    surveyed.push({
      workspace,
      path: worktree.path,
      project: owner,
      state,
      movedTo: state.kind === 'absent' ? await findElsewhere(parts, worktree, depth) : null,
      locks: owner === null ? [] : repositories.findLocks(worktree.path),
    });
  }
  return surveyed;
}

async function surveyState(
  { files, repositories }: WorktreeParts,
  { path, project, holder }: Worktree,
  depth: Depth,
): Promise<SurveyedWorktree['state']> {
  const place = files.stat(path);
  if (!place.ok) return { kind: 'unseen' };
  if (place.value.kind === 'absent') return { kind: 'absent' };
  if (place.value.kind !== 'directory') return { kind: 'unusable', reason: 'it is no directory' };
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
    ? { kind: 'unusable', reason: failure.reason }
    : { kind: 'unseen' };
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
